SECRET_KEY = "only for a service that never starts"
ALLOWED_HOSTS = ["*"]
INSTALLED_APPS = ["rest_framework"]
ROOT_URLCONF = "kitchen.urls"
DATABASES = {}

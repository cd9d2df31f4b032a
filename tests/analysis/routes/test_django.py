"""Django's URL configurations and REST framework's routers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repoproof.analysis.routes.django_patterns import template_of_regex

SETTINGS = {"config/settings.py": "ROOT_URLCONF = 'config.urls'\n"}


def site(urls: str, views: str = "", **more: str) -> dict[str, str]:
    imports = "from django.urls import include, path, re_path\nfrom rest_framework import routers\nimport views\n"
    return {**SETTINGS, "config/urls.py": imports + urls, "views.py": views, **more}


API_VIEW = "from rest_framework.decorators import api_view\nfrom django.views.decorators.http import require_http_methods, require_POST\n"
VIEWSET = "from rest_framework import viewsets\nfrom rest_framework.decorators import action\n"

CASES: dict[str, tuple[dict[str, str], set[str]]] = {
    "decorated views": (
        site(
            "urlpatterns = [\n    path('a/<int:pk>', views.a),\n    path('b', views.b),\n    path('c', views.c),\n    path('d', views.d),\n]\n",
            API_VIEW
            + "@api_view(['GET', 'PUT'])\ndef a(r, pk): ...\n@require_http_methods(['DELETE'])\ndef b(r): ...\n@require_POST\ndef c(r): ...\ndef d(r): ...\n",
        ),
        {
            "GET /a/{pk} config/urls.py:5",
            "PUT /a/{pk} config/urls.py:5",
            "DELETE /b config/urls.py:6",
            "POST /c config/urls.py:7",
            "ANY /d config/urls.py:8",
        },
    ),
    "methods that the body tests for": (
        site(
            "urlpatterns = [path('a', views.a), path('b', views.b), path('c', views.c), path('d', views.d)]\n",
            "def a(request):\n    if request.method == 'POST': return 1\n    elif request.method in ('PUT', 'PATCH'): return 2\n    return HttpResponseNotAllowed([])\n"
            "def b(request):\n    if request.method == 'POST':\n        return 1\n    return 2\n"
            "def c(request):\n    if request.method != 'DELETE':\n        return JsonResponse({}, status=405)\n    return 1\n"
            "from django.views.decorators.csrf import csrf_exempt\n@csrf_exempt\ndef d(request):\n    match request.method:\n        case 'GET': return 1\n        case 'POST': return 2\n",
        ),
        {
            f"{one} config/urls.py:4"
            for one in ("POST /a", "PUT /a", "PATCH /a", "POST /b", "GET /b", "DELETE /c", "GET /d", "POST /d")
        },
    ),
    "includes by name, module, list and tuple": (
        site(
            "import shop.urls\nmore = [path('m', views.v)]\nurlpatterns = [\n path('s/', include('shop.urls')),\n path('t/', include(shop.urls)),\n"
            " path('l/', include(more)),\n path('n/', include((more, 'app'), namespace='n')),\n re_path('^r/', include('shop.urls')),\n]\n",
            API_VIEW + "@api_view()\ndef v(r): ...\n",
            **{
                "shop/urls.py": "from django.urls import path\nfrom views import v\nurlpatterns = [path('x/', v)]\n",
                "shop/__init__.py": "",
            },
        ),
        {*(f"GET /{at}/x/ shop/urls.py:3" for at in "str"), *(f"GET /{at}/m config/urls.py:5" for at in "ln")},
    ),
    "includes that include each other": (
        site(
            "urlpatterns = [path('a/', include('one')), path('v', views.v)]\n",
            API_VIEW + "@api_view()\ndef v(r): ...\n",
            **{
                "one.py": "from django.urls import include, path\nurlpatterns = [path('b/', include('two'))]\n",
                "two.py": "from django.urls import include, path\nfrom views import v\nurlpatterns = [path('c/', include('one')), path('v', v)]\n",
            },
        ),
        {"GET /v config/urls.py:4", "GET /a/b/v two.py:3"},
    ),
    "patterns that no root configuration includes": (
        site(
            "urlpatterns = []\n", **{"lost/urls.py": "from django.urls import path\nurlpatterns = [path('x', print)]\n"}
        ),
        set(),
    ),
    "a view that is not there": (site("urlpatterns = [path('x', views.missing)]\n"), set()),
    "a viewset": (
        site(
            "r = routers.SimpleRouter()\nr.register('things', views.Things)\nurlpatterns = [path('api/', include(r.urls))]\n",
            VIEWSET
            + "class Things(viewsets.ModelViewSet):\n    http_method_names = ['get', 'post']\n    @action(detail=True, methods=['post', 'delete'], url_path='do-it')\n    def act(self, request, pk=None): ...\n",
        ),
        {
            "GET /api/things/ config/urls.py:5",
            "POST /api/things/ config/urls.py:5",
            "GET /api/things/{pk}/ config/urls.py:5",
            "POST /api/things/{pk}/do-it/ views.py:5",
        },
    ),
    "a viewset of mixins from a base of the tree, without trailing slash": (
        site(
            "r = routers.SimpleRouter(trailing_slash=False)\nr.register(r'things', views.Things, basename='t')\nurlpatterns = []\nurlpatterns += r.urls\n",
            "from rest_framework.mixins import ListModelMixin\nfrom rest_framework.viewsets import GenericViewSet\nclass Base(ListModelMixin, GenericViewSet):\n    lookup_field = 'slug'\n"
            "class Things(Base):\n    def partial_update(self, request, slug): ...\n",
        ),
        {"GET /things config/urls.py:5", "PATCH /things/{slug} config/urls.py:5"},
    ),
    "a nested router": (
        site(
            "from rest_framework_nested.routers import NestedSimpleRouter\nr = routers.SimpleRouter()\nr.register('a', views.V)\nn = NestedSimpleRouter(r, 'a', lookup='a')\n"
            "n.register('b', views.V)\nurlpatterns = [path('', include(n.urls))]\n",
            VIEWSET + "class V(viewsets.ViewSet):\n    def list(self, request): ...\n",
        ),
        {"GET /a/{a_pk}/b/ config/urls.py:8"},
    ),
    "a project in one file": (
        {
            "app.py": "from django.conf import settings\nfrom django.urls import path\nsettings.configure(ROOT_URLCONF=__name__)\ndef v(request):\n    if request.method == 'GET': ...\nurlpatterns = [path('x/', v)]\n"
        },
        {"GET /x/ app.py:6"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES)
def test_routes_of(files: dict[str, str], expected: set[str], read_python):
    assert read_python(files) == expected


@pytest.mark.parametrize(
    ("regex", "template"),
    [
        (r"^users/(?P<pk>[0-9]+)/$", "users/{pk}/"),
        (r"^users/(?P<name>[\w.@+-]+)/?$", "users/{name}/"),
        (r"^a/([^/]+)/b\.json$", "a/{parameter}/b.json"),
        (r"^y/(?P<y>(19|20)\d{2})/(?:page-(?P<n>\d+)/)?$", "y/{y}/"),
        (r"^x/\d+/$", "x/{parameter}/"),
        (r"", ""),
    ],
)
def test_a_regex_becomes_a_template(regex: str, template: str):
    assert template_of_regex(regex) == template


@given(st.text(alphabet="^$()[]?*+\\{}dw/aP<>.|:", max_size=30))
def test_no_regex_is_too_broken_to_read(regex: str):
    template_of_regex(regex)

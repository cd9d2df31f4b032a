from rest_framework.routers import SimpleRouter

from .views import CuisineViewSet, RecipeViewSet

router = SimpleRouter()
router.register("cuisines", CuisineViewSet)
router.register("recipes", RecipeViewSet)

urlpatterns = router.urls

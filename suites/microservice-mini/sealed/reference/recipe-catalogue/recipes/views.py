from rest_framework import mixins, status, viewsets
from rest_framework.decorators import action
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request
from rest_framework.response import Response

from .models import Cuisine, Recipe
from .serializers import (
    CuisineSerializer,
    FindQuery,
    IngredientSerializer,
    RatingSerializer,
    RecipeSerializer,
    ScaleQuery,
)


class Pages(PageNumberPagination):
    page_size = 10
    page_size_query_param = "page_size"
    max_page_size = 50


class CuisineViewSet(mixins.ListModelMixin, mixins.CreateModelMixin, viewsets.GenericViewSet):
    queryset = Cuisine.objects.order_by("slug")
    serializer_class = CuisineSerializer


class RecipeViewSet(viewsets.ModelViewSet):
    queryset = Recipe.objects.prefetch_related("ingredients", "all_ratings")
    serializer_class = RecipeSerializer
    pagination_class = Pages
    lookup_value_regex = r"\d{1,18}"

    def filter_queryset(self, queryset):
        if self.action != "list":
            return queryset
        query = checked(FindQuery, self.request)
        if "cuisine" in query:
            queryset = queryset.filter(cuisine=query["cuisine"])
        if "ingredient" in query:
            queryset = queryset.filter(ingredients__name__iexact=query["ingredient"]).distinct()
        if "max_minutes" in query:
            queryset = queryset.filter(minutes__lte=query["max_minutes"])
        return queryset.order_by(query["ordering"], "id")

    @action(detail=True, methods=["post"])
    def ratings(self, request: Request, pk: str) -> Response:
        recipe = self.get_object()
        rating = RatingSerializer(data=request.data)
        rating.is_valid(raise_exception=True)
        rating.save(recipe=recipe)
        rated = self.get_serializer(self.get_object()).data
        answer = {"average_rating": rated["average_rating"], "ratings": rated["ratings"]}
        return Response(answer, status=status.HTTP_201_CREATED)

    @action(detail=True)
    def scaled(self, request: Request, pk: str) -> Response:
        recipe = self.get_object()
        servings = checked(ScaleQuery, request)["servings"]
        ingredients = IngredientSerializer(recipe.ingredients.all(), many=True).data
        for ingredient in ingredients:
            ingredient["quantity"] = round(ingredient["quantity"] * servings / recipe.servings, 2)
        return Response({"id": recipe.id, "title": recipe.title, "servings": servings, "ingredients": ingredients})


def checked(serializer_class, request: Request) -> dict:
    """The request's query, or a refusal that names the faulty parameters."""
    query = serializer_class(data=request.query_params)
    query.is_valid(raise_exception=True)
    return query.validated_data

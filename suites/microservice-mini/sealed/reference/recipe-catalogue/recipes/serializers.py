"""What goes over the wire, and the rules for what comes in."""

from math import isfinite

from django.db import transaction
from rest_framework import serializers

from .models import Cuisine, Ingredient, Rating, Recipe


class CuisineSerializer(serializers.ModelSerializer):
    slug = serializers.RegexField(r"^[a-z0-9-]+\Z", max_length=40)
    recipes = serializers.IntegerField(source="recipes.count", read_only=True)

    class Meta:
        model = Cuisine
        fields = ["slug", "name", "recipes"]

    def validate_slug(self, slug: str) -> str:
        if Cuisine.objects.filter(slug=slug).exists():
            raise serializers.ValidationError("This slug is taken.")
        return slug


class IngredientSerializer(serializers.ModelSerializer):
    unit = serializers.CharField(max_length=20, allow_blank=True)

    class Meta:
        model = Ingredient
        fields = ["name", "quantity", "unit"]

    def validate_quantity(self, quantity: float) -> float:
        if not (isfinite(quantity) and quantity > 0):
            raise serializers.ValidationError("A quantity is above 0.")
        return quantity


class RecipeSerializer(serializers.ModelSerializer):
    cuisine = serializers.PrimaryKeyRelatedField(queryset=Cuisine.objects.all())
    minutes = serializers.IntegerField(min_value=1, max_value=1440)
    servings = serializers.IntegerField(min_value=1, max_value=100)
    ingredients = IngredientSerializer(many=True, allow_empty=False)
    average_rating = serializers.SerializerMethodField()
    ratings = serializers.IntegerField(source="all_ratings.count", read_only=True)

    class Meta:
        model = Recipe
        fields = ["id", "title", "cuisine", "minutes", "servings", "ingredients", "average_rating", "ratings"]
        validators = []  # The one for title and cuisine would not name the title: see validate().

    def get_average_rating(self, recipe: Recipe) -> float | None:
        stars = [rating.stars for rating in recipe.all_ratings.all()]
        return round(sum(stars) / len(stars), 2) if stars else None

    def validate(self, attrs: dict) -> dict:
        title = attrs.get("title", self.instance and self.instance.title)
        cuisine = attrs.get("cuisine", self.instance and self.instance.cuisine)
        same = Recipe.objects.filter(title=title, cuisine=cuisine).exclude(pk=self.instance and self.instance.pk)
        if same.exists():
            raise serializers.ValidationError({"title": ["This cuisine has a recipe of that title."]})
        return attrs

    @transaction.atomic
    def create(self, validated_data: dict) -> Recipe:
        ingredients = validated_data.pop("ingredients")
        recipe = Recipe.objects.create(**validated_data)
        self._write(recipe, ingredients)
        return recipe

    @transaction.atomic
    def update(self, instance: Recipe, validated_data: dict) -> Recipe:
        ingredients = validated_data.pop("ingredients", None)
        recipe = super().update(instance, validated_data)
        if ingredients is not None:
            recipe.ingredients.all().delete()
            self._write(recipe, ingredients)
        return Recipe.objects.get(pk=recipe.pk)

    def _write(self, recipe: Recipe, ingredients: list[dict]) -> None:
        Ingredient.objects.bulk_create(Ingredient(recipe=recipe, **each) for each in ingredients)


class RatingSerializer(serializers.ModelSerializer):
    stars = serializers.IntegerField(min_value=1, max_value=5)

    class Meta:
        model = Rating
        fields = ["stars"]


class FindQuery(serializers.Serializer):
    """Query of the list."""

    cuisine = serializers.CharField(required=False)
    ingredient = serializers.CharField(required=False)
    max_minutes = serializers.IntegerField(required=False)
    ordering = serializers.ChoiceField(["id", "-id", "minutes", "-minutes", "title", "-title"], default="id")
    page_size = serializers.IntegerField(min_value=1, required=False)


class ScaleQuery(serializers.Serializer):
    """Query of the scaled recipe."""

    servings = serializers.IntegerField(min_value=1, max_value=100)

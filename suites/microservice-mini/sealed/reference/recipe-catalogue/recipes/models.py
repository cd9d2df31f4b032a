from django.db import models


class Cuisine(models.Model):
    slug = models.CharField(max_length=40, primary_key=True)
    name = models.CharField(max_length=80)


class Recipe(models.Model):
    title = models.CharField(max_length=120)
    cuisine = models.ForeignKey(Cuisine, on_delete=models.PROTECT, related_name="recipes")
    minutes = models.PositiveIntegerField()
    servings = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cuisine", "title"], name="title_once_per_cuisine")]


class Ingredient(models.Model):
    recipe = models.ForeignKey(Recipe, on_delete=models.CASCADE, related_name="ingredients")
    name = models.CharField(max_length=80)
    quantity = models.FloatField()
    unit = models.CharField(max_length=20, blank=True)

    class Meta:
        ordering = ["id"]


class Rating(models.Model):
    recipe = models.ForeignKey(Recipe, on_delete=models.CASCADE, related_name="all_ratings")
    stars = models.PositiveSmallIntegerField()

"""What NestJS applications answer to, read from their source."""

from __future__ import annotations

from pathlib import Path

import pytest

from repoproof.analysis.routes import find_routes

COMMON = "import { Controller, Get, Post, Put, Patch, Delete, All, Head, Options, Sse, Module, Version, VersioningType, VERSION_NEUTRAL, RequestMethod, applyDecorators, forwardRef, UseGuards } from '@nestjs/common';\nimport { NestFactory, RouterModule } from '@nestjs/core';\n"


def app(classes: str, configuration: str = "", module: str = "controllers: [C]") -> dict[str, str]:
    """One file: classes, the root module, and a start that configures."""
    start = f"async function bootstrap() {{ const app = await NestFactory.create(AppModule); {configuration} await app.listen(3000); }}\nbootstrap();"
    return {"src/main.ts": f"{COMMON}{classes}\n@Module({{ {module} }})\nexport class AppModule {{}}\n{start}"}


def controller(body: str, head: str = "@Controller('x')", **more: str) -> dict[str, str]:
    return app(f"{head}\nexport class C {{ {body} }}", **more)


GET_A = "@Get('a') a() {}"

CASES: dict[str, tuple[dict[str, str], str]] = {
    "methods": (
        controller(
            "@Get('a') a() {} @Post('b') b() {} @Put('c') c() {} @Patch('d') d() {} @Delete('e') e() {} @All('f') f() {} @Head('g') g() {} @Options('h') h() {} @Sse('i') i() {}"
        ),
        "ANY /x/f, DELETE /x/e, GET /x/a, GET /x/i, HEAD /x/g, OPTIONS /x/h, PATCH /x/d, POST /x/b, PUT /x/c",
    ),
    "no paths": (controller("@Get() a() {} @Post('/') b() {}"), "GET /x, POST /x"),
    "no path of the class": (controller("@Get() a() {} @Get(':id') b() {}", "@Controller()"), "GET /, GET /{id}"),
    "slashes": (controller("@Get('/a/') a() {}", "@Controller('/x/')"), "GET /x/a"),
    "several paths": (
        controller("@Get(['a', 'b']) a() {}", "@Controller(['x', 'y'])"),
        "GET /x/a, GET /x/b, GET /y/a, GET /y/b",
    ),
    "options of the class": (controller(GET_A, "@Controller({ path: 'y', host: 'h' })"), "GET /y/a"),
    "parameters and wildcards": (
        controller("@Get(':id/z') a() {} @Get('f/*') b() {} @Get('g/*rest') c() {}"),
        "GET /x/f/{wildcard}, GET /x/g/{rest}, GET /x/{id}/z",
    ),
    "other decorators around": (
        controller(
            "@UseGuards(G)\n@Get('a')\n@HttpCode(204)\nasync a(@Param('id') id: string): Promise<void> {}\n/** no @Post('b') */ plain() {}"
        ),
        "GET /x/a",
    ),
    "constants": (
        app(
            "const BASE = 'api'; enum P { A = 'a' } class R { static readonly B = 'b'; }\n@Controller(`${BASE}/x`) class C { @Get(P.A) a() {} @Get(R.B) b() {} @Get(process.env.P) c() {} }"
        ),
        "GET /api/x/a, GET /api/x/b",
    ),
    "a decorator of one's own": (
        app(
            "const Fetch = (path: string) => applyDecorators(UseGuards(G), Get(path));\n@Controller('x') class C { @Fetch('a') a() {} }"
        ),
        "GET /x/a",
    ),
    "a global prefix": (controller(GET_A, configuration="app.setGlobalPrefix('api/v1');"), "GET /api/v1/x/a"),
    "a global prefix with exceptions": (
        app(
            "@Controller() class C { @Get('health') a() {} @Post('health') b() {} @Get('open/x') c() {} @Get('d') d() {} }",
            "app.setGlobalPrefix('api', { exclude: [{ path: 'health', method: RequestMethod.GET }, 'open/(.*)'] });",
        ),
        "GET /api/d, GET /health, GET /open/x, POST /api/health",
    ),
    "a global prefix that cannot be told": (controller(GET_A, configuration="app.setGlobalPrefix(process.env.P);"), ""),
    "versions in the path": (
        app(
            "@Controller({ path: 'x', version: '1' }) class C { @Get('a') a() {} @Version(['2', '3']) @Get('b') b() {} @Version(VERSION_NEUTRAL) @Get('c') c() {} }\n@Controller('y') class D { @Get() d() {} }",
            "app.setGlobalPrefix('api'); app.enableVersioning({ type: VersioningType.URI });",
            "controllers: [C, D]",
        ),
        "GET /api/v1/x/a, GET /api/v2/x/b, GET /api/v3/x/b, GET /api/x/c, GET /api/y",
    ),
    "a default version and a prefix of one's own": (
        controller(GET_A, configuration="app.enableVersioning({ defaultVersion: '1', prefix: 'version-' });"),
        "GET /version-1/x/a",
    ),
    "versions in a header": (
        controller(
            GET_A,
            "@Controller({ path: 'x', version: '1' })",
            configuration="app.enableVersioning({ type: VersioningType.HEADER, header: 'V' });",
        ),
        "GET /x/a",
    ),
    "versions without versioning": (controller(GET_A, "@Controller({ path: 'x', version: '1' })"), "GET /x/a"),
    "modules of modules": (
        app(
            "@Controller('c') class C { @Get() a() {} }\n@Controller('d') class D { @Get() a() {} }\n@Controller('e') class E { @Get() a() {} }\n@Controller('unused') class F { @Get() a() {} }\n"
            "@Module({ controllers: [D] }) class DModule { static forRoot() { return { module: DModule, controllers: [E] }; } }\n@Module({ imports: [forwardRef(() => AppModule), DModule.forRoot()], controllers: [C] }) class CModule {}",
            module="imports: [CModule, TypeOrmModule.forRoot({})]",
        ),
        "GET /c, GET /d, GET /e",
    ),
    "paths of modules": (
        app(
            "@Controller('c') class C { @Get() a() {} }\n@Controller('d') class D { @Get() a() {} }\n@Module({ controllers: [C] }) class CModule {}\n@Module({ controllers: [D] }) class DModule {}",
            module="imports: [CModule, DModule, RouterModule.register([{ path: 'admin', module: CModule, children: [{ path: 'more', module: DModule }] }])]",
        ),
        "GET /admin/c, GET /admin/more/d",
    ),
    "an inherited method, and one that is written anew": (
        app(
            "class Base { @Get('all') all() {} @Get('gone') gone() {} }\n@Controller('x') class C extends Base { gone() {} @Post() make() {} }"
        ),
        "GET /x/all, POST /x",
    ),
    "a base that a function makes": (
        app(
            "function Crud(path: string) { class Base { @Get(path) all() {} } return Base; }\n@Controller('x') class C extends Crud('every') {}"
        ),
        "GET /x/every",
    ),
    "several files": (
        {
            "src/main.ts": "import { NestFactory } from '@nestjs/core';\nimport { AppModule } from './app.module';\nasync function bootstrap() { const app = await NestFactory.create(AppModule); app.setGlobalPrefix('api'); }\nvoid bootstrap();",
            "src/app.module.ts": "import { Module } from '@nestjs/common';\nimport { UsersModule } from './users/users.module';\n@Module({ imports: [UsersModule] })\nexport class AppModule {}",
            "src/users/users.module.ts": "import { Module } from '@nestjs/common';\nimport { UsersController } from './users.controller';\n@Module({ controllers: [UsersController], providers: [] })\nexport class UsersModule {}",
            "src/users/users.controller.ts": "import { Controller, Get, Post } from '@nestjs/common';\nimport { PATHS } from './paths';\n@Controller(PATHS.users)\nexport class UsersController { constructor(private readonly users: UsersService) {} @Get(':id') one() { return this.users.get('/no'); } @Post() make() {} }",
            "src/users/paths.ts": "export const PATHS = { users: 'users' } as const;",
            "src/users/users.controller.spec.ts": "import { Controller, Get } from '@nestjs/common';\n@Controller('spec') class S { @Get() a() {} }",
        },
        "GET /api/users/{id}, POST /api/users",
    ),
    "no application": (
        {"src/c.ts": COMMON + "@Controller('x') class C { @Get() a() {} }\n@Module({ controllers: [C] }) class M {}"},
        "",
    ),
    "a class that is no controller": (controller(GET_A, "@Injectable()"), ""),
    "comments, strings and other people's decorators": (
        {
            "src/main.ts": "import { Controller, Module } from '@nestjs/common';\nimport { Get } from './mine';\nimport { NestFactory } from '@nestjs/core';\n@Controller('x') class C { @Get('a') a() {}\n// @Post('b')\nb() { return \"@Put('c')\"; } }\n@Module({ controllers: [C] }) class M {}\nNestFactory.create(M);"
        },
        "",
    ),
    "modules that import each other": (
        app(
            "@Controller('c') class C { @Get() a() {} }\n@Module({ imports: [forwardRef(() => B)] }) class A {}\n@Module({ imports: [A, B] }) class B {}",
            module="imports: [A], controllers: [C, C]",
        ),
        "GET /c",
    ),
}


@pytest.mark.parametrize(("files", "listed"), CASES.values(), ids=CASES)
def test_routes_of_a_nest_application(files: dict[str, str], listed: str, tmp_path: Path) -> None:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert ", ".join(sorted(map(str, find_routes(tmp_path, language="node")))) == listed


def test_a_route_says_where_it_was_mapped(tmp_path: Path) -> None:
    files = app("@Controller('x')\nclass C {\n  @UseGuards(G)\n  @Get('a')\n  a() {}\n}")
    (tmp_path / "main.ts").write_text(files["src/main.ts"])
    found = find_routes(tmp_path, language="node")
    assert [(str(route), route.file, route.line, route.framework) for route in found] == [
        ("GET /x/a", "main.ts", 6, "nest")
    ]

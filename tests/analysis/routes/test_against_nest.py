"""The routes that we read from the source are those that NestJS answers, running the same source."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from plugins.node_commands import node, npm

from repoproof.analysis.routes.node import find_node_routes

pytestmark = [pytest.mark.slow, pytest.mark.needs("network"), pytest.mark.needs("node")]

VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE")
PACKAGES = (
    "@nestjs/core@10",
    "@nestjs/common@10",
    "@nestjs/platform-express@10",
    "reflect-metadata@0.2",
    "rxjs@7",
    "typescript@5",
)

SOURCE = """
import 'reflect-metadata';
import { All, applyDecorators, Controller, Delete, forwardRef, Get, HttpCode, Module, Patch, Post, Put, RequestMethod, Version, VERSION_NEUTRAL, VersioningType } from '@nestjs/common';
import { NestFactory, RouterModule } from '@nestjs/core';

const BASE = 'things';
enum Paths { More = 'more' }
class Names { static readonly OTHER = 'other'; }
const Fetch = (path: string) => applyDecorators(HttpCode(200), Get(path));

class Crud {
  @Get('inherited') inherited() { return 'ok'; }
  @Get('before') anew() { return 'ok'; }
}

@Controller({ path: BASE, version: '1' })
export class Things extends Crud {
  @Get() all() { return 'ok'; }
  @Get(':id/parts') parts() { return 'ok'; }
  @Post([Paths.More, Names.OTHER]) make() { return 'ok'; }
  @Version(['2', '3']) @Put('versions') versions() { return 'ok'; }
  @Version(VERSION_NEUTRAL) @Patch('neutral') neutral() { return 'ok'; }
  @Fetch('fetched') fetched() { return 'ok'; }
  anew() { return 'ok'; }
}

@Controller()
export class Root {
  @Get('health') health() { return 'ok'; }
  @Post('health') report() { return 'ok'; }
  @All('any') any() { return 'ok'; }
}

@Controller(['a', 'b'])
export class Several { @Delete('/x/') gone() { return 'ok'; } }

@Controller('unlisted')
export class Unlisted { @Get() all() { return 'ok'; } }

@Module({ controllers: [Several] })
export class SeveralModule {}

@Module({ imports: [forwardRef(() => AppModule)] })
export class OptionalModule {
  static forRoot() { return { module: OptionalModule, controllers: [Root] }; }
}

@Module({
  imports: [OptionalModule.forRoot(), SeveralModule, RouterModule.register([{ path: 'admin', children: [{ path: 'deep', module: SeveralModule }] }])],
  controllers: [Things],
})
export class AppModule {}

async function bootstrap() {
  const app = await NestFactory.create(AppModule, { logger: false });
  app.setGlobalPrefix('api', { exclude: [{ path: 'health', method: RequestMethod.GET }] });
  app.enableVersioning({ type: VersioningType.URI });
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address();
  const answered: string[] = [];
  for (const [method, path] of JSON.parse(process.env.ASKED as string)) {
    const { status } = await fetch(`http://127.0.0.1:${port}${path}`, { method });
    if (status !== 404) answered.push(`${method} ${path}`);
  }
  console.log('ANSWERED' + JSON.stringify(answered));
  process.exit(0);
}
void bootstrap();
"""
UNLIKE = (
    "/unlisted",
    "/api/unlisted",
    "/api/things",
    "/api/health",
    "/api/a/x",
    "/api/admin/a/x",
    "/api/v1/things/before",
    "/api/v1/things/neutral",
)
OPTIONS = "--experimentalDecorators --emitDecoratorMetadata --esModuleInterop --skipLibCheck --module commonjs --target es2022 --lib es2022,dom --types node"


def test_the_framework_answers_exactly_these_routes(tmp_path: Path) -> None:
    source = tmp_path / "src" / "main.ts"
    source.parent.mkdir()
    source.write_text(SOURCE)
    read = {(route.method, re.sub(r"\{\w+\}", "7", route.path)) for route in find_node_routes(tmp_path)}
    install = [
        *npm(),
        "install",
        "--silent",
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
        "@types/node@20",
        *PACKAGES,
    ]
    subprocess.run(install, cwd=tmp_path, check=True)
    compiled = subprocess.run(
        [*node(), "node_modules/typescript/bin/tsc", *OPTIONS.split(), "--outDir", "compiled", str(source)],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert compiled.returncode == 0, compiled.stdout
    paths = sorted({path for _, path in read} | {"/", "/zzz", *UNLIKE})
    asked = [(verb, path) for path in paths for verb in VERBS]
    ran = subprocess.run(
        [*node(), "compiled/main.js"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, env={**os.environ, "ASKED": json.dumps(asked)},
    )  # fmt: skip
    assert "ANSWERED" in ran.stdout, ran.stderr
    answered = set(json.loads(ran.stdout.split("ANSWERED")[1]))
    assert answered == {
        f"{verb} {path}" for method, path in read for verb in (VERBS if method == "ANY" else (method,)) if verb in VERBS
    }

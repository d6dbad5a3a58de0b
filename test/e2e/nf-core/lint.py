"""nf-core's linter on all modules, offline: prints what failed and what it warned of as JSON lines of module, test and message.

    python lint.py FOLDER

Each process of the linter works in a folder of its own below FOLDER: a repository of modules as the linter expects one, with ours in it,
a home of Nextflow, and in place of the clone of nf-core/modules one that has only the two schemas which the linter reads from there. These
say in our words what nf-core's ask of a module: which fields there must be. Shared folders failed by chance: the linter checks out its clone
in each process ("index.lock: File exists"), and Nextflow makes its home.
"""
import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

here = Path(__file__).resolve()
modules = here.parents[3] / "workflows" / "nextflow" / "modules" / "svc"
folder = Path(sys.argv[1]).resolve()
schemas = folder / "schemas"

described = {"required": ["type", "description"]}
elements = {"type": "array", "items": {"additionalProperties": described}}
meta_schema = {
    "type": "object",
    "required": ["name", "description", "keywords", "tools", "input", "output", "authors", "maintainers"],
    "properties": {
        "name": {"type": "string"},
        "description": {"type": "string"},
        "keywords": {"type": "array", "minItems": 3, "items": {"type": "string"}},
        "tools": {
            "type": "array",
            "items": {
                "additionalProperties": {
                    "required": ["description", "homepage", "documentation", "licence", "identifier"],
                    "properties": {
                        **{name: {"pattern": "^https?://"} for name in ["homepage", "documentation", "tool_dev_url"]},
                        "licence": {"type": "array", "minItems": 1},
                        "identifier": {"pattern": "^(biotools:.+)?$"},
                    },
                }
            },
        },
        "input": {"type": "array", "items": {"anyOf": [elements, elements["items"]]}},
        "output": {"type": "object"},
        "topics": {"type": "object"},
        "authors": {"type": "array", "minItems": 1},
        "maintainers": {"type": "array", "minItems": 1},
    },
}
environment_schema = {
    "type": "object",
    "required": ["channels", "dependencies"],
    "properties": {"channels": {"type": "array", "items": {"enum": ["conda-forge", "bioconda"]}}},
    "not": {"required": ["name"]},
}


def git(*words):
    name = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    subprocess.run(["git", *name, *words], cwd=schemas, check=True, capture_output=True)


(schemas / "modules").mkdir(parents=True)
(schemas / "modules" / "meta-schema.json").write_text(json.dumps(meta_schema))
(schemas / "modules" / "environment-schema.json").write_text(json.dumps(environment_schema))
(schemas / ".nf-core.yml").write_text("repository_type: modules\norg_path: nf-core\n")
for words in [["init", "-b", "master"], ["add", "-A"], ["commit", "-m", "schemas"]]:
    git(*words)


def prepare():
    own = folder / str(os.getpid())
    repository = own / "repository"
    os.environ.update(
        HOME=str(own),
        XDG_CONFIG_HOME=str(own / "home"),
        XDG_CACHE_HOME=str(own / "cache"),
        NXF_HOME=str(own / "nextflow"),
        NFCORE_NO_VERSION_CHECK="1",
    )
    git("clone", str(schemas), str(own / "home" / "nfcore" / "nf-core" / "modules"))
    # The tool is svc, and so is who it is of.
    shutil.copytree(modules, repository / "modules" / "svc" / "svc")
    (repository / "tests" / "config").mkdir(parents=True)
    (repository / ".nf-core.yml").write_text("repository_type: modules\norg_path: svc\n")
    os.chdir(repository)


def lint(name):
    from nf_core.modules.lint import ModuleLint

    it = ModuleLint(".", hide_progress=True)
    it.lint(module=f"svc/{name}", print_results=False)
    findings = [("failed", result) for result in it.failed] + [("warned", result) for result in it.warned]
    return len(it.passed), [
        {"kind": kind, "module": name, "test": result.lint_test, "message": result.message} for kind, result in findings
    ]


# Each module has Nextflow started four times.
with ProcessPoolExecutor(4, initializer=prepare) as pool:
    results = list(pool.map(lint, sorted(path.name for path in modules.iterdir())))
for _, findings in results:
    for finding in findings:
        print(json.dumps(finding))
print(json.dumps({"kind": "passed", "count": sum(passed for passed, _ in results)}))

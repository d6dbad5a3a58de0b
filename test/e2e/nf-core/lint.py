"""nf-core's linter on all modules, offline: prints what failed and what it warned of as JSON lines of module, test and message.

    python lint.py FOLDER

It works below FOLDER: in a repository of modules as the linter expects one, with ours in it, with a home of Nextflow, and in place of the
clone of nf-core/modules one that has only the two schemas which the linter reads from there. These say in our words what nf-core's ask of a
module: which fields there must be.
"""
import json
import os
import shutil
import subprocess
import sys
from functools import cache
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


repository = folder / "repository"
os.environ.update(
    HOME=str(folder),
    XDG_CONFIG_HOME=str(folder / "home"),
    XDG_CACHE_HOME=str(folder / "cache"),
    NXF_HOME=str(folder / "nextflow"),
    NFCORE_NO_VERSION_CHECK="1",
)
git("clone", str(schemas), str(folder / "home" / "nfcore" / "nf-core" / "modules"))
# The tool is svc, and so is who it is of.
shutil.copytree(modules, repository / "modules" / "svc" / "svc")
(repository / "tests" / "config").mkdir(parents=True)
(repository / ".nf-core.yml").write_text("repository_type: modules\norg_path: svc\n")
os.chdir(repository)

# They read the environment when they are loaded.
from nf_core.components.nfcore_component import NFCoreComponent  # noqa: E402
from nf_core.modules.lint import ModuleLint  # noqa: E402
from nf_core.utils import parse_nextflow_json  # noqa: E402


@cache
def containers(profile):
    """The container of each process, from a pipeline with all modules: the linter would start Nextflow three times for each of them."""
    place = folder / f"profile-{profile}"
    place.mkdir()
    profiles = [f"    {name} {{ {name}.enabled = true }}" for name in ["docker", "singularity"]]
    (place / "nextflow.config").write_text("\n".join(["profiles {", *profiles, "}", ""]))
    chosen = ["-profile", profile] if profile else []
    words = ["nextflow", "inspect", *chosen, "-format", "json", str(here.parents[1] / "nextflow" / "modules.nf")]
    shown = subprocess.run(words, cwd=place, check=True, stdout=subprocess.PIPE, text=True).stdout
    return {process["name"]: process["container"] for process in parse_nextflow_json(shown)["processes"]}


def container(module, profile=None):
    return containers(profile)[f"SVC_{Path(module.component_dir).name.upper()}"]


NFCoreComponent.get_container_with_inspect = container


def lint(name):
    it = ModuleLint(".", hide_progress=True)
    it.lint(module=f"svc/{name}", print_results=False)
    findings = [("failed", result) for result in it.failed] + [("warned", result) for result in it.warned]
    return len(it.passed), [
        {"kind": kind, "module": name, "test": result.lint_test, "message": result.message} for kind, result in findings
    ]


results = [lint(path.name) for path in sorted(modules.iterdir())]
for _, findings in results:
    for finding in findings:
        print(json.dumps(finding))
print(json.dumps({"kind": "passed", "count": sum(passed for passed, _ in results)}))

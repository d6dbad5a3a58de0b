"""A backend for miniwdl that runs tasks as plain processes of this machine: for tests, where no container engine is."""

import os

from WDL.runtime.backend.cli_subprocess import SubprocessBase


class HostProcess(SubprocessBase):
    cli_name = "host"

    def __init__(self, cfg, run_id, host_dir):
        super().__init__(cfg, run_id, host_dir)
        self.container_dir = host_dir

    @classmethod
    def global_init(cls, cfg, logger):
        # Now, while one thread is here: two tasks that come first together find it half done.
        cls.detect_resource_limits(cfg, logger)

    def _pull(self, logger, cleanup):
        return ""

    def _run_invocation(self, logger, cleanup, image):
        for host_path, container_path in self.input_path_map.items():
            os.makedirs(os.path.dirname(container_path), exist_ok=True)
            os.symlink(host_path, container_path)
        return ["env", "-C", self.host_work_dir()]

import json,sys
from pathlib import Path
sys.path.insert(0,'/tmp/w/plan')
from tests.cli.commands import *
from tests.cli.serving import served
import yaml
world=pool_world("gpu-1","gpu-2","gpu-3")
P="latency-pool"
world.cordon("gpu-1")
world.add_control_plane_node("cp-1",pool=P)
world.add_node("cpu-1",pool=P,enabled=False)
m=sample(targets=[{"nodes":{"names":["gpu-2","gpu-9"]}},*sample()["spec"]["targets"]],policies={"parallelism":1})
world.forbid("Pod","default","exceeded quota: two-pods, requested: pods=1, used: pods=2, limited: pods=2")
d=Path('/tmp/w/me/doc'); d.mkdir(exist_ok=True)
f=d/'runtime.yaml'; f.write_text(yaml.safe_dump(m))
with served(world,d) as s:
    r=warmlog("plan",f,"--kubeconfig",s.kubeconfig); print(r.stdout, r.stderr, r.exit_code)

"""The program that `pulumi up` runs."""

import pulumi
from keys import declare

config = pulumi.Config()
declare(config.require("workspace"), config.require_object("customers"))

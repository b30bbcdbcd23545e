"""The same stack without the Pulumi CLI's own commands, for example behind a form with which customers get a key.

    python automation.py up <workspace> <customer>...
    python automation.py refresh
    python automation.py destroy
"""

import sys

import pulumi.automation as auto
from keys import declare


def main(command: str = "", workspace: str = "", *customers: str) -> None:
    if command not in ("up", "refresh", "destroy"):
        sys.exit(__doc__)
    stack = auto.create_or_select_stack(
        stack_name="dev", project_name="apikeys-python", program=lambda: declare(workspace, customers)
    )
    if command == "up":
        result = stack.up(on_output=print)
        print("disabled keys:", result.outputs["disabledKeyIds"].value)
    elif command == "refresh":
        stack.refresh(on_output=print)
    else:
        # All but the credits, which are protected and can't be taken back.
        stack.destroy(on_output=print, exclude_protected=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

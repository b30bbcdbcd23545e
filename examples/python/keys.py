"""What is declared: the defaults of a workspace, a scope, a key of the team, a key for each customer, and credits."""

from collections.abc import Sequence

import pulumi
import pulumi_apikeys as apikeys


def declare(workspace_name: str, customers: Sequence[str]) -> None:
    # The token is read from this variable in each run, so it is never in state. The base URL comes from the
    # environment variable APIKEYS_BASE_URL.
    provider = apikeys.Provider("team", access_token_env="TEAM_ACCESS_TOKEN")
    options = pulumi.ResourceOptions(provider=provider)
    reads = pulumi.InvokeOutputOptions(provider=provider)

    workspace = apikeys.get_workspace_output(name=workspace_name, opts=reads)

    defaults = apikeys.WorkspaceSettings(
        "defaults",
        workspace_id=workspace.id,
        default_rate_limit_per_second=50,
        # Others use the workspace too, so destroy puts the former setting back.
        on_destroy="restore",
        opts=options,
    )
    orders = apikeys.Scope(
        "orders", workspace_id=workspace.id, name="Orders", representation="orders", opts=options
    )
    reader = apikeys.KeyScopeArgs(representation=orders.representation, read=True)

    ci = apikeys.ApiKey(
        "ci",
        workspace_id=workspace.id,
        customer_id="team",
        scopes=[reader],
        # The workspace's defaults apply to keys that are created after them.
        opts=pulumi.ResourceOptions.merge(options, pulumi.ResourceOptions(depends_on=[defaults])),
    )
    # One resource for all customers: adding or removing one leaves the keys of the others alone.
    keys = apikeys.ApiKeySet(
        "customers",
        workspace_id=workspace.id,
        defaults=apikeys.ApiKeySetDefaultsArgs(scopes=[reader], external_meter_id="team-meter"),
        keys={customer: apikeys.ApiKeySetEntryArgs(customer_id=customer) for customer in customers},
        opts=pulumi.ResourceOptions.merge(options, pulumi.ResourceOptions(depends_on=[defaults])),
    )
    # Credits that are removed by mistake and declared again are granted again, so they are protected.
    apikeys.CustomerBilling(
        "credits",
        workspace_id=workspace.id,
        total_credits="1000",
        external_meter_id="team-meter",
        opts=pulumi.ResourceOptions.merge(options, pulumi.ResourceOptions(protect=True)),
    )

    # Whoever manages them.
    disabled = apikeys.get_api_keys_output(workspace_id=workspace.id, enabled=False, opts=reads)

    pulumi.export("ciKey", ci.key)
    pulumi.export("customerKeys", keys.secrets)
    pulumi.export("disabledKeyIds", disabled.api_keys.apply(lambda keys: [key.id for key in keys]))

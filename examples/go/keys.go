package main

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"pulumi-apikeys/sdk/go/apikeys"
)

// declare declares the defaults of a workspace, a scope, a key of the team, a key for each customer, and credits.
func declare(ctx *pulumi.Context, workspaceName string, customers []string) error {
	// The token is read from this variable in each run, so it is never in state. The base URL comes from the
	// environment variable APIKEYS_BASE_URL.
	provider, err := apikeys.NewProvider(ctx, "team", &apikeys.ProviderArgs{
		AccessTokenEnv: pulumi.String("TEAM_ACCESS_TOKEN"),
	})
	if err != nil {
		return err
	}
	team := pulumi.Provider(provider)

	workspaceId := apikeys.GetWorkspaceOutput(ctx, apikeys.GetWorkspaceOutputArgs{
		Name: pulumi.String(workspaceName),
	}, team).Id()

	defaults, err := apikeys.NewWorkspaceSettings(ctx, "defaults", &apikeys.WorkspaceSettingsArgs{
		WorkspaceId:               workspaceId,
		DefaultRateLimitPerSecond: pulumi.Int(50),
		// Others use the workspace too, so destroy puts the former setting back.
		OnDestroy: pulumi.String("restore"),
	}, team)
	if err != nil {
		return err
	}
	orders, err := apikeys.NewScope(ctx, "orders", &apikeys.ScopeArgs{
		WorkspaceId:    workspaceId,
		Name:           pulumi.String("Orders"),
		Representation: pulumi.String("orders"),
	}, team)
	if err != nil {
		return err
	}
	readOrders := apikeys.KeyScopeArray{
		apikeys.KeyScopeArgs{Representation: orders.Representation, Read: pulumi.Bool(true)},
	}

	// The workspace's defaults apply to keys that are created after them.
	afterDefaults := pulumi.DependsOn([]pulumi.Resource{defaults})
	ci, err := apikeys.NewApiKey(ctx, "ci", &apikeys.ApiKeyArgs{
		WorkspaceId: workspaceId,
		CustomerId:  pulumi.String("team"),
		Scopes:      readOrders,
	}, team, afterDefaults)
	if err != nil {
		return err
	}
	// One resource for all customers: adding or removing one leaves the keys of the others alone.
	entries := apikeys.ApiKeySetEntryMap{}
	for _, customer := range customers {
		entries[customer] = apikeys.ApiKeySetEntryArgs{CustomerId: pulumi.String(customer)}
	}
	keys, err := apikeys.NewApiKeySet(ctx, "customers", &apikeys.ApiKeySetArgs{
		WorkspaceId: workspaceId,
		Defaults: apikeys.ApiKeySetDefaultsArgs{
			Scopes:          readOrders,
			ExternalMeterId: pulumi.String("team-meter"),
		},
		Keys: entries,
	}, team, afterDefaults)
	if err != nil {
		return err
	}
	// Credits that are removed by mistake and declared again are granted again, so they are protected.
	if _, err := apikeys.NewCustomerBilling(ctx, "credits", &apikeys.CustomerBillingArgs{
		WorkspaceId:     workspaceId,
		TotalCredits:    pulumi.String("1000"),
		ExternalMeterId: pulumi.String("team-meter"),
	}, team, pulumi.Protect(true)); err != nil {
		return err
	}

	// Whoever manages them.
	disabled := apikeys.GetApiKeysOutput(ctx, apikeys.GetApiKeysOutputArgs{
		WorkspaceId: workspaceId,
		Enabled:     pulumi.Bool(false),
	}, team).ApiKeys().ApplyT(func(keys []apikeys.FoundApiKey) []string {
		ids := []string{}
		for _, key := range keys {
			ids = append(ids, key.Id)
		}
		return ids
	})

	ctx.Export("ciKey", ci.Key)
	ctx.Export("customerKeys", keys.Secrets)
	ctx.Export("disabledKeyIds", disabled)
	return nil
}

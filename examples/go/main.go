// API keys of a team and of its customers: as a program that `pulumi up` runs, and without the Pulumi CLI's own
// commands, for example behind a form with which customers get a key:
//
//	go run . up <workspace> <customer>...
//	go run . refresh
//	go run . destroy
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optdestroy"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optrefresh"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optup"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	if len(os.Args) > 1 {
		if err := automate(context.Background(), os.Args[1], os.Args[2:]); err != nil {
			log.Fatal(err)
		}
		return
	}
	pulumi.Run(func(ctx *pulumi.Context) error {
		var customers []string
		config.RequireObject(ctx, "customers", &customers)
		return declare(ctx, config.Require(ctx, "workspace"), customers)
	})
}

func automate(ctx context.Context, command string, args []string) error {
	program := func(ctx *pulumi.Context) error { return declare(ctx, args[0], args[1:]) }
	stack, err := auto.UpsertStackInlineSource(ctx, "dev", "apikeys-go", program)
	if err != nil {
		return err
	}
	switch {
	case command == "up" && len(args) > 0:
		result, err := stack.Up(ctx, optup.ProgressStreams(os.Stdout))
		if err == nil {
			fmt.Println("disabled keys:", result.Outputs["disabledKeyIds"].Value)
		}
		return err
	case command == "refresh":
		_, err = stack.Refresh(ctx, optrefresh.ProgressStreams(os.Stdout))
	case command == "destroy":
		// All but the credits, which are protected and can't be taken back.
		credits := fmt.Sprintf("urn:pulumi:%s::apikeys-go::apikeys:index:CustomerBilling::credits", stack.Name())
		_, err = stack.Destroy(ctx, optdestroy.ProgressStreams(os.Stdout), optdestroy.Exclude([]string{credits}))
	default:
		err = fmt.Errorf("usage: go run . up <workspace> <customer>... | refresh | destroy")
	}
	return err
}

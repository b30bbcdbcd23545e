// Command sdks writes the SDKs that Pulumi generates from a schema, and the schema with an example of each resource:
// sdks <schema.json> <Pulumi.yaml> <folder>.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	golang "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// A loader of this package alone: the schema must not refer to others.
type loader struct {
	schema.ReferenceLoader
	pkg *schema.Package
}

func (l loader) LoadPackageReferenceV2(context.Context, *schema.PackageDescriptor) (schema.PackageReference, error) {
	return l.pkg.Reference(), nil
}

type files = map[string][]byte

var languages = map[string]func(*schema.Package) (files, error){
	"python": func(pkg *schema.Package) (files, error) {
		generated, err := python.GeneratePackage("pulumi-apikeys", pkg, nil, loader{})
		if err == nil {
			// Where pyproject.toml says that it is.
			generated["README.md"] = generated["pulumi_apikeys/README.md"]
		}
		return generated, err
	},
	"go": func(pkg *schema.Package) (files, error) {
		return golang.GeneratePackage("pulumi-apikeys", pkg, nil)
	},
	"nodejs": func(pkg *schema.Package) (files, error) {
		return nodejs.GeneratePackage("pulumi-apikeys", pkg, nil, nil, false, loader{})
	},
}

func main() {
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(schemaFile, examples, folder string) error {
	spec := schema.PackageSpec{}
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &spec); err != nil {
		return err
	}
	program, err := os.ReadFile(examples)
	if err != nil {
		return err
	}
	if err := addExamples(&spec, program); err != nil {
		return err
	}
	published, err := json.MarshalIndent(spec, "", "  ")
	if err != nil {
		return err
	}
	if err := write(folder, files{"schema.json": published}); err != nil {
		return err
	}
	for language, generate := range languages {
		// Each takes the package for itself, since a generator writes into it.
		pkg, err := bind(spec)
		if err != nil {
			return err
		}
		generated, err := generate(pkg)
		if err != nil {
			return fmt.Errorf("%s: %w", language, err)
		}
		if err := write(filepath.Join(folder, language), generated); err != nil {
			return err
		}
	}
	return nil
}

func bind(spec schema.PackageSpec) (*schema.Package, error) {
	pkg, problems, err := schema.BindSpec(spec, loader{}, schema.ValidationOptions{})
	if err == nil && len(problems) > 0 {
		err = problems
	}
	return pkg, err
}

func write(folder string, generated files) error {
	for name, text := range generated {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

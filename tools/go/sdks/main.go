// Command sdks writes the SDKs that Pulumi generates from a schema: sdks <schema.json> <folder>.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	golang "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// A loader of other packages, to which the schema must not refer.
type loader struct{ schema.ReferenceLoader }

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
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(schemaFile, folder string) error {
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		return err
	}
	for language, generate := range languages {
		// Each takes the package for itself, since a generator writes into it.
		pkg, err := bind(text)
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

func bind(text []byte) (*schema.Package, error) {
	spec := schema.PackageSpec{}
	if err := json.Unmarshal(text, &spec); err != nil {
		return nil, err
	}
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

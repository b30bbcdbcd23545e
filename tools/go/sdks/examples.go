package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	golang "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/hcl2/syntax"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"gopkg.in/yaml.v3"
)

// A program in YAML: one resource, and the outputs that use it.
type program struct {
	Resources map[string]resource `yaml:"resources"`
	Outputs   map[string]string   `yaml:"outputs,omitempty"`
}

type resource struct {
	Type       string    `yaml:"type"`
	Properties yaml.Node `yaml:"properties"`
	Options    yaml.Node `yaml:"options,omitempty"`
}

// addExamples puts each resource of a YAML program into the description of its type, in all languages.
func addExamples(spec *schema.PackageSpec, text []byte) error {
	pkg, err := bind(*spec)
	if err != nil {
		return err
	}
	var whole program
	if err := yaml.Unmarshal(text, &whole); err != nil {
		return err
	}
	for name, declared := range whole.Resources {
		token := strings.Replace(declared.Type, ":", ":index:", 1)
		documented, isKnown := spec.Resources[token]
		if !isKnown {
			return fmt.Errorf("the schema has no %s", declared.Type)
		}
		part := program{Resources: map[string]resource{name: declared}, Outputs: map[string]string{}}
		for output, value := range whole.Outputs {
			if strings.HasPrefix(value, "${"+name+".") {
				part.Outputs[output] = value
			}
		}
		example, err := part.inAllLanguages(pkg)
		if err != nil {
			return fmt.Errorf("the example of %s: %w", declared.Type, err)
		}
		documented.Description += "\n\n{{% examples %}}\n{{% example %}}\n## Example Usage\n\n" + example +
			"{{% /example %}}\n{{% /examples %}}"
		spec.Resources[token] = documented
	}
	return nil
}

// inAllLanguages returns a code block for each language.
func (part program) inAllLanguages(pkg *schema.Package) (string, error) {
	text, err := part.inPcl()
	if err != nil {
		return "", err
	}
	parser := syntax.NewParser()
	if err := parser.ParseFile(strings.NewReader(text), "main.pp"); err != nil {
		return "", err
	}
	if parser.Diagnostics.HasErrors() {
		return "", parser.Diagnostics
	}
	bound, problems, err := pcl.BindProgram(parser.Files, schema.NewCachedLoader(loader{pkg: pkg}))
	if err != nil {
		return "", err
	}
	if len(problems) > 0 {
		return "", problems
	}
	var blocks strings.Builder
	block := func(language string, code []byte) {
		fmt.Fprintf(&blocks, "```%s\n%s\n```\n", language, bytes.TrimSpace(code))
	}
	for _, language := range []struct {
		name, file string
		generate   func(*pcl.Program) (files, hcl.Diagnostics, error)
	}{
		{"typescript", "index.ts", nodejs.GenerateProgram},
		{"python", "__main__.py", python.GenerateProgram},
		{"go", "main.go", golang.GenerateProgram},
	} {
		generated, problems, err := language.generate(bound)
		if err != nil {
			return "", err
		}
		if len(problems) > 0 {
			return "", problems
		}
		block(language.name, generated[language.file])
	}
	var inYaml bytes.Buffer
	encoder := yaml.NewEncoder(&inYaml)
	encoder.SetIndent(2)
	if err := encoder.Encode(part); err != nil {
		return "", err
	}
	block("yaml", inYaml.Bytes())
	return blocks.String(), nil
}

// inPcl returns the program in the language from which Pulumi's generators begin, whose values can be written as JSON.
func (part program) inPcl() (string, error) {
	var text strings.Builder
	for name, declared := range part.Resources {
		properties, err := inPclLines(declared.Properties)
		if err != nil {
			return "", err
		}
		options, err := inPclLines(declared.Options)
		if err != nil {
			return "", err
		}
		if options != "" {
			options = fmt.Sprintf("options {\n%s}\n", options)
		}
		fmt.Fprintf(&text, "resource %q %q {\n%s%s}\n", name, declared.Type, properties, options)
	}
	for name, value := range part.Outputs {
		fmt.Fprintf(&text, "output %q {\nvalue = %s\n}\n", name, strings.TrimSuffix(value[len("${"):], "}"))
	}
	return text.String(), nil
}

// inPclLines returns a line for each pair of a YAML mapping.
func inPclLines(mapping yaml.Node) (string, error) {
	var lines strings.Builder
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		var value any
		if err := mapping.Content[i+1].Decode(&value); err != nil {
			return "", err
		}
		text, err := json.Marshal(value)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&lines, "%s = %s\n", mapping.Content[i].Value, text)
	}
	return lines.String(), nil
}

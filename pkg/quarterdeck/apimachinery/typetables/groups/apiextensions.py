"""The types of apiextensions.k8s.io/v1; see typetables/__init__.py for the notation."""

TABLE = """
ConversionRequest: uid string? 1, desiredAPIVersion string? 2, objects []runtime.RawExtension? 3
ConversionResponse: uid string? 1, convertedObjects []runtime.RawExtension? 2, result meta.Status? 3
ConversionReview: request *ConversionRequest? 1, response *ConversionResponse? 2
CustomResourceColumnDefinition: name string 1!, type string 2!, format string? 3, description string? 4,
  priority int32? 5, jsonPath string 6!
CustomResourceConversion: strategy string 1!, webhook *WebhookConversion? 2
CustomResourceDefinition kind: metadata meta.ObjectMeta? 1, spec CustomResourceDefinitionSpec? 2!,
  status CustomResourceDefinitionStatus? 3
CustomResourceDefinitionCondition: type string 1!, status string 2!, lastTransitionTime meta.Time? 3,
  reason string? 4, message string? 5, observedGeneration int64? 6
CustomResourceDefinitionNames: plural string 1!, singular string? 2, shortNames []string? 3 atomic, kind string 4!,
  listKind string? 5, categories []string? 6 atomic
CustomResourceDefinitionSpec: group string 1!, names CustomResourceDefinitionNames? 3!, scope string 4!,
  versions []CustomResourceDefinitionVersion 7! atomic, conversion *CustomResourceConversion? 9,
  preserveUnknownFields bool? 10
CustomResourceDefinitionStatus: conditions []CustomResourceDefinitionCondition? 1 map(type),
  acceptedNames CustomResourceDefinitionNames? 2, storedVersions []string? 3 atomic, observedGeneration int64? 4
CustomResourceDefinitionVersion: name string 1!, served bool 2!, storage bool 3!, deprecated bool? 7,
  deprecationWarning *string? 8, schema *CustomResourceValidation? 4, subresources *CustomResourceSubresources? 5,
  additionalPrinterColumns []CustomResourceColumnDefinition? 6 atomic, selectableFields []SelectableField? 9 atomic
CustomResourceSubresourceScale: specReplicasPath string 1!, statusReplicasPath string 2!,
  labelSelectorPath *string? 3
CustomResourceSubresourceStatus:
CustomResourceSubresources: status *CustomResourceSubresourceStatus? 1, scale *CustomResourceSubresourceScale? 2
CustomResourceValidation: openAPIV3Schema *JSONSchemaProps? 1
ExternalDocumentation: description string? 1, url string? 2
FieldValueErrorReason = string enum(FieldValueDuplicate|FieldValueForbidden|FieldValueInvalid|FieldValueRequired)
JSONSchemaProps: id string? 1, $schema string? 2, $ref *string? 3, description string? 4, type string? 5,
  format string? 6, title string? 7, default *JSON? 8, maximum *float64? 9, exclusiveMaximum bool? 10,
  minimum *float64? 11, exclusiveMinimum bool? 12, maxLength *int64? 13, minLength *int64? 14, pattern string? 15,
  maxItems *int64? 16, minItems *int64? 17, uniqueItems bool? 18, multipleOf *float64? 19, enum []JSON? 20 atomic,
  maxProperties *int64? 21, minProperties *int64? 22, required []string? 23 atomic, items *JSONSchemaPropsOrArray? 24,
  allOf []JSONSchemaProps? 25 atomic, oneOf []JSONSchemaProps? 26 atomic, anyOf []JSONSchemaProps? 27 atomic,
  not *JSONSchemaProps? 28, properties map[string]JSONSchemaProps? 29,
  additionalProperties *JSONSchemaPropsOrBool? 30, patternProperties map[string]JSONSchemaProps? 31,
  dependencies map[string]JSONSchemaPropsOrStringArray? 32, additionalItems *JSONSchemaPropsOrBool? 33,
  definitions map[string]JSONSchemaProps? 34, externalDocs *ExternalDocumentation? 35, example *JSON? 36,
  nullable bool? 37, x-kubernetes-preserve-unknown-fields *bool? 38, x-kubernetes-embedded-resource bool? 39,
  x-kubernetes-int-or-string bool? 40, x-kubernetes-list-map-keys []string? 41 atomic,
  x-kubernetes-list-type *string? 42, x-kubernetes-map-type *string? 43,
  x-kubernetes-validations []ValidationRule? 44 map(rule) patch(merge|rule)
JSONSchemaPropsOrArray: schema *JSONSchemaProps? 1, jSONSchemas []JSONSchemaProps? 2
JSONSchemaPropsOrBool: allows bool? 1, schema *JSONSchemaProps? 2
JSONSchemaPropsOrStringArray: schema *JSONSchemaProps? 1, property []string? 2
SelectableField: jsonPath string 1!
ServiceReference: namespace string 1!, name string 2!, path *string? 3, port *int32? 4
ValidationRule: rule string 1!, message string? 2, messageExpression string? 3,
  reason *FieldValueErrorReason? 4,
  fieldPath string? 5, optionalOldSelf *bool? 6
WebhookClientConfig: url *string? 3, service *ServiceReference? 1, caBundle []byte? 2
WebhookConversion: clientConfig *WebhookClientConfig? 2, conversionReviewVersions []string 3! atomic
"""

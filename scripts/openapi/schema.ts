// JSON schemas of the document, and the names under which it has them.

export type Schema = { readonly [keyword: string]: unknown }

/** Collects the parts of one kind that have a name: schemas, or responses. */
export class Components {
  readonly #schemas = new Map<string, Schema>()
  readonly #kind: 'schemas' | 'responses'

  constructor(kind: 'schemas' | 'responses') {
    this.#kind = kind
  }

  /** Returns a reference. Throws when another schema has the name. */
  add(name: string, schema: Schema): Schema {
    const before = this.#schemas.get(name)
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(schema))
      throw new Error(`two schemas have the name ${name}: ${JSON.stringify(before)} and ${JSON.stringify(schema)}`)
    this.#schemas.set(name, schema)
    return { $ref: `#/components/${this.#kind}/${name}` }
  }

  /** Replaces the schema that has the name. */
  replace(name: string, schema: Schema): void {
    this.get(name)
    this.#schemas.set(name, schema)
  }

  get(name: string): Schema {
    const schema = this.#schemas.get(name)
    if (schema === undefined) throw new Error(`no schema has the name ${name}`)
    return schema
  }

  all(): Readonly<Record<string, Schema>> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)))
  }
}

/** Returns the schema with null as a further value. */
export function orNull({ description, ...schema }: Schema): Schema {
  const given = description === undefined ? {} : { description }
  const isPlain = typeof schema.type === 'string' && schema.const === undefined && schema.enum === undefined
  return isPlain
    ? { ...given, ...schema, type: [schema.type, 'null'] }
    : { ...given, anyOf: [schema, { type: 'null' }] }
}

/** Returns the schema of an object. A field that is not required may be left out. */
export function objectSchema(
  fields: readonly (readonly [name: string, schema: Schema, isRequired: boolean])[],
): Schema {
  const required = fields.flatMap(([name, , isRequired]) => (isRequired ? [name] : []))
  return {
    type: 'object',
    properties: Object.fromEntries(fields),
    ...(required.length > 0 && { required }),
  }
}

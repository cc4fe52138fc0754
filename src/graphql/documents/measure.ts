// Counts what a document asks before it is validated. Validation compares fields that share a response name with each
// other, so its time grows with the square of their number; this walk takes time in proportion to the document.
import { type DocumentNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql'
import type { DocumentLimits } from '#graphql/documents/limits.ts'

type Counted = 'fields' | 'repeatedFields' | 'aliases' | 'directives' | 'depth'

const RULES: Readonly<Record<Counted, (most: number) => string>> = {
  fields: (most) => `asks for more than ${most} fields`,
  repeatedFields: (most) => `repeats more than ${most} fields`,
  aliases: (most) => `has more than ${most} aliases`,
  directives: (most) => `has more than ${most} directives`,
  depth: (most) => `is more than ${most} fields deep`,
}

/** The shape of a fragment counts where an operation spreads it. */
const ANY_SHAPE = {
  depth: Number.POSITIVE_INFINITY,
  aliases: Number.POSITIVE_INFINITY,
  directives: Number.POSITIVE_INFINITY,
}

/** Returns the limit that the document exceeds, in words that follow "the document"; null when it is within all. */
export function excessOf(document: DocumentNode, limits: DocumentLimits): string | null {
  const operations = new Walk(document, limits)
  const fragments = new Walk(document, { ...limits, ...ANY_SHAPE })
  try {
    for (const definition of document.definitions) {
      if (definition.kind === Kind.OPERATION_DEFINITION) operations.walk(definition)
      // Validation compares the fields of fragments that no operation uses, too.
      if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.walk(definition)
    }
    return null
  } catch (error) {
    if (error instanceof Excess) return RULES[error.what](limits[error.what])
    throw error
  }
}

/** The schema's own description nests as deep as its types; the number of fields bounds it. */
const INTROSPECTION: ReadonlySet<string> = new Set(['__schema', '__type'])

class Excess extends Error {
  readonly what: Counted

  constructor(what: Counted) {
    super(what)
    this.what = what
  }
}

class Walk {
  readonly #limits: DocumentLimits
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly #counts = { fields: 0, repeatedFields: 0, aliases: 0, directives: 0 }

  constructor({ definitions }: DocumentNode, limits: DocumentLimits) {
    this.#limits = limits
    this.#fragments = new Map(
      definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [])),
    )
  }

  walk({ directives = [], selectionSet }: Pick<FragmentDefinitionNode, 'directives' | 'selectionSet'>): void {
    this.#count('directives', directives.length)
    this.#level([selectionSet], 1)
  }

  #count(what: Exclude<Counted, 'depth'>, by = 1): void {
    this.#counts[what] += by
    if (this.#counts[what] > this.#limits[what]) throw new Excess(what)
  }

  /** Takes the selection sets that make one object of the reply. A cycle of fragments ends at a limit. */
  #level(sets: readonly SelectionSetNode[], depth: number): void {
    if (depth > this.#limits.depth) throw new Excess('depth')
    const below = new Map<string, SelectionSetNode[]>()
    const spread = new Set<string>()
    for (const set of sets) this.#collect(set, below, spread)
    for (const [name, nested] of below) {
      if (nested.length > 0) this.#level(nested, INTROSPECTION.has(name) ? Number.NEGATIVE_INFINITY : depth + 1)
    }
  }

  #collect({ selections }: SelectionSetNode, below: Map<string, SelectionSetNode[]>, spread: Set<string>): void {
    for (const selection of selections) {
      this.#count('directives', selection.directives?.length ?? 0)
      if (selection.kind === Kind.FIELD) {
        this.#count('fields')
        const { name, alias = name, selectionSet } = selection
        if (alias !== name && name.value !== '__typename') this.#count('aliases')
        if (below.has(alias.value)) this.#count('repeatedFields')
        const nested = below.get(alias.value) ?? []
        if (selectionSet !== undefined) nested.push(selectionSet)
        below.set(alias.value, nested)
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        this.#collect(selection.selectionSet, below, spread)
      } else {
        const { value } = selection.name
        if (spread.has(value)) continue
        spread.add(value)
        const fragment = this.#fragments.get(value)
        if (fragment !== undefined) this.#collect(fragment.selectionSet, below, spread)
      }
    }
  }
}

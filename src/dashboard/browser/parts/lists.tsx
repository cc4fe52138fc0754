// Lists in pages. What is listed is in the address, so that it can be shared, kept and gone back to.
import { useLocation } from 'preact-iso/router'
import { Button } from '#dashboard/browser/parts/basics.tsx'
import { useWords } from '#dashboard/browser/say.tsx'

const PAGE_SIZE = 25

type Changes<Name extends string> = Readonly<Partial<Record<Name | 'after' | 'before', string | null>>>

export type List<Name extends string> = {
  /** The arguments of a connection. */
  readonly page: {
    readonly first: number | null
    readonly last: number | null
    readonly after: string | null
    readonly before: string | null
  }
  /** Returns the value of a filter; null without one. */
  filter(name: Name): string | null
  readonly isFiltered: boolean
  /** Goes to the list with other filters, at its begin, or to another page of it. */
  show(changes: Changes<Name>): void
}

/** Reads what the address asks of the list at `path`. */
export function useList<Name extends string>(path: string, filters: readonly Name[]): List<Name> {
  const { query, route } = useLocation()
  const { after = null, before = null } = query
  const filter = (name: Name): string | null => query[name] || null
  return {
    page: { ...(before === null ? { first: PAGE_SIZE, last: null } : { first: null, last: PAGE_SIZE }), after, before },
    filter,
    isFiltered: filters.some((name) => filter(name) !== null),
    show(changes) {
      const next = { ...Object.fromEntries(filters.map((name) => [name, filter(name)])), ...changes }
      const kept = Object.entries(next).flatMap(([name, value]) =>
        typeof value === 'string' && value ? [[name, value]] : [],
      )
      route(kept.length === 0 ? path : `${path}?${new URLSearchParams(kept)}`)
    },
  }
}

type SearchProps = { readonly label: string; readonly text: string | null; onSearch(text: string): void }

export const Search = ({ label, text, onSearch }: SearchProps) => (
  <form
    onSubmit={(event) => {
      event.preventDefault()
      const given = new FormData(event.currentTarget).get('search')
      onSearch(typeof given === 'string' ? given.trim() : '')
    }}
  >
    <input
      key={text}
      type="search"
      name="search"
      maxLength={100}
      defaultValue={text ?? ''}
      aria-label={label}
      placeholder={label}
    />
  </form>
)

type FilterProps = {
  readonly label: string
  readonly value: string | null
  readonly options: readonly (readonly [value: string, label: string])[]
  /** What there is without a value. */
  readonly all?: string
  onChoose(value: string): void
}

export function Filter({ label, value, options, all, onChoose }: FilterProps) {
  const { say } = useWords()
  return (
    <label>
      <span class="hidden">{label}</span>
      <select value={value ?? ''} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        <option value="">{`${label}: ${all ?? say('all')}`}</option>
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}

/** A page of a list, as a connection has it. */
export type PageOf<Node> = {
  readonly edges: readonly { readonly node: Node }[]
  readonly pageInfo: {
    readonly hasPreviousPage: boolean
    readonly hasNextPage: boolean
    readonly startCursor: string | null
    readonly endCursor: string | null
  }
}

type PagerProps = {
  readonly label: string
  readonly info: PageOf<unknown>['pageInfo']
  show(place: { readonly before: string | null } | { readonly after: string | null }): void
}

/** Goes through the pages of a list. A list of one page has none. */
export function Pager({ label, info, show }: PagerProps) {
  const { say } = useWords()
  if (!info.hasPreviousPage && !info.hasNextPage) return null
  return (
    <nav class="pager" aria-label={label}>
      <Button isDisabled={!info.hasPreviousPage} onPress={() => show({ before: info.startCursor })}>
        {say('newer')}
      </Button>
      <Button isDisabled={!info.hasNextPage} onPress={() => show({ after: info.endCursor })}>
        {say('older')}
      </Button>
    </nav>
  )
}

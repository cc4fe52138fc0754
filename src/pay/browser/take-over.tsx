// Takes over a page that the server rendered.
import type { ComponentChild } from 'preact'
import { hydrate } from 'preact'
import type { InputOf, PageName } from '#pay/page-input.ts'
import { INPUT_ID, ROOT_ID } from '#pay/page-input.ts'
import { PageProvider, pageOf } from '#pay/views/context.tsx'

/** Returns what the page was rendered from; null outside of a page. */
export function inputOf<Name extends PageName>(): InputOf<Name> | null {
  const input = document.getElementById(INPUT_ID)?.textContent
  return input ? JSON.parse(input) : null
}

export function takeOver<Name extends PageName>(_page: Name, view: (state: InputOf<Name>['state']) => ComponentChild) {
  const root = document.getElementById(ROOT_ID)
  const input = inputOf<Name>()
  if (root === null || input === null) return
  const { texts, language, site, state } = input
  hydrate(<PageProvider value={pageOf(texts, language, site)}>{view(state)}</PageProvider>, root)
}

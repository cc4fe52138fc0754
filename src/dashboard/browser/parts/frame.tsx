// The frame of every page: the menu, the language and the way out. And what is shown where there is no page.
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core'
import type { ComponentChildren, ComponentType, VNode } from 'preact'
import { useState } from 'preact/hooks'
import lazy from 'preact-iso/lazy'
import { Route, Router, useLocation } from 'preact-iso/router'
import { readAgain } from '#dashboard/browser/client.ts'
import { useChange } from '#dashboard/browser/data.ts'
import { type Fault, NO_ANSWER } from '#dashboard/browser/fault.ts'
import { Button, FaultNotice, Loading, Page } from '#dashboard/browser/parts/basics.tsx'
import { HOME } from '#dashboard/browser/paths.ts'
import { chooseLanguage, useWords } from '#dashboard/browser/say.tsx'
import { isLanguage, LANGUAGE_NAMES, LANGUAGES } from '#pay/texts/texts.ts'

type SideBarProps = {
  /** What the dashboard is of, above the menu. */
  readonly title: ComponentChildren
  readonly hint: ComponentChildren
  readonly pages: readonly (readonly [path: string, label: string])[]
  /** Ends the session. */
  readonly logOut: DocumentTypeDecoration<unknown, Record<string, never>>
}

type FrameProps = SideBarProps & {
  /** Says on every page that money here is worth nothing. */
  readonly banner: string | null
  /** What a person must know on every page. */
  readonly warning?: string | null
  /** What goes on behind the page that is shown. */
  readonly note?: ComponentChildren
  /** Whether the service does not answer. */
  readonly isLost: boolean
  /** The routes of the pages. */
  readonly children: VNode[]
}

export function Frame({ banner, warning = null, note = null, isLost, children, ...side }: FrameProps) {
  const { say } = useWords()
  return (
    <div class="frame">
      <SideBar {...side} />
      <div class="content">
        {banner !== null && <aside class="banner">{banner}</aside>}
        {warning !== null && (
          <p class="banner bad" role="status">
            {warning}
          </p>
        )}
        {note !== null && (
          <p class="banner note" role="status">
            {note}
          </p>
        )}
        {isLost && (
          <p class="banner lost" role="alert">
            {say('offline')}
          </p>
        )}
        <main>
          <Router>
            {children}
            <Route default component={NoPage} />
          </Router>
        </main>
      </div>
    </div>
  )
}

function SideBar({ title, hint, pages, logOut }: SideBarProps) {
  const { say, language } = useWords()
  const { path } = useLocation()
  const [isOpen, setOpen] = useState(false)
  const { run, isBusy, fault } = useChange(logOut)
  return (
    <header class={isOpen ? 'side open' : 'side'}>
      <div class="business">
        <strong>{title}</strong>
        <span class="hint">{hint}</span>
      </div>
      <button type="button" class="button plain menu" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {say('menu')}
      </button>
      <nav aria-label={say('menu')}>
        {pages.map(([target, label]) => (
          <a
            key={target}
            href={target}
            aria-current={(target === HOME ? path === target : path.startsWith(target)) ? 'page' : undefined}
            onClick={() => setOpen(false)}
          >
            {label}
          </a>
        ))}
      </nav>
      <div class="foot">
        <LanguageChoice language={language} />
        <Button isBusy={isBusy} onPress={() => void run({}).then((ended) => ended !== null && location.assign(HOME))}>
          {say('logOut')}
        </Button>
        <FaultNotice fault={fault} />
      </div>
    </header>
  )
}

/** The choice of the language where there is no frame. */
export function OutsideLanguage() {
  const { language } = useWords()
  return (
    <footer class="outside">
      <LanguageChoice language={language} />
    </footer>
  )
}

function LanguageChoice({ language }: { language: string }) {
  const { say } = useWords()
  return (
    <label>
      <span class="hidden">{say('language')}</span>
      <select
        value={language}
        onChange={({ currentTarget: { value } }) => {
          if (isLanguage(value)) chooseLanguage(value)
        }}
      >
        {LANGUAGES.map((one) => (
          <option key={one} value={one} lang={one}>
            {LANGUAGE_NAMES[one]}
          </option>
        ))}
      </select>
    </label>
  )
}

function NoPage() {
  const { say } = useWords()
  return (
    <Page title={say('pageNotFound')}>
      <a href={HOME}>{say('toHome')}</a>
    </Page>
  )
}

/** Returns a page that is loaded when it is shown. When that fails, it says so, and a person can try again. */
export const loadedPage = (load: () => Promise<ComponentType>): ComponentType =>
  lazy(() => load().catch((): ComponentType => NotLoaded))

function NotLoaded() {
  const { say } = useWords()
  const tryAgain = async (): Promise<void> => {
    // Loaded while the service does not answer, the whole dashboard is gone.
    const answer = await fetch(location.href).catch(() => null)
    if (answer !== null) location.reload()
  }
  return (
    <Page title={say('pageNotLoaded')}>
      <FaultNotice fault={NO_ANSWER} />
      <div class="actions start">
        <Button onPress={() => void tryAgain()}>{say('tryAgain')}</Button>
      </div>
    </Page>
  )
}

type OutsideProps = {
  readonly fault: Fault | null
  readonly isLoggedOut: boolean
  /** The way in. */
  readonly children: ComponentChildren
}

/** What is shown before the first answer, without a session, and when the service refuses. */
export function Outside({ fault, isLoggedOut, children }: OutsideProps) {
  const { say } = useWords()
  if (isLoggedOut)
    return (
      <>
        {children}
        <OutsideLanguage />
      </>
    )
  if (fault === null) return <Loading />
  return (
    <main class="card">
      <FaultNotice fault={fault} />
      <Button onPress={readAgain}>{say('tryAgain')}</Button>
    </main>
  )
}

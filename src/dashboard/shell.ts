// The HTML document of a dashboard: a script builds everything in it.

import { EARLY } from '#dashboard/early.ts'
import { APP_ID, type DashboardSite, SITE_ID } from '#dashboard/site.ts'
import loads from '#pay/generated/loads.json' with { type: 'json' }
import { directionOf, type Language } from '#pay/texts/texts.ts'

type Entry = { readonly script: 'dashboard.tsx' | 'operator.tsx'; readonly styles: readonly (keyof typeof loads)[] }

const OF_BUSINESSES: Entry = { script: 'dashboard.tsx', styles: ['dashboard.css'] }
const OF_OPERATOR: Entry = { script: 'operator.tsx', styles: ['dashboard.css', 'operator.css'] }

type Settings = Omit<DashboardSite, 'buyerStyles' | 'early'>

export const shellOf = (settings: Settings, language: Language): string =>
  documentOf(
    { ...settings, buyerStyles: loads['style.css'], early: settings.hasSession ? EARLY : null },
    OF_BUSINESSES,
    language,
  )

export const operatorShellOf = (settings: Settings, language: Language): string =>
  documentOf({ ...settings, buyerStyles: [], early: null }, OF_OPERATOR, language)

/** Nothing that a person has written is in it. */
function documentOf(site: DashboardSite, entry: Entry, language: Language): string {
  const pathsOf = (name: keyof typeof loads): string[] => loads[name].map((file) => `${site.files}/${file}`)
  const [script = '', ...modules] = pathsOf(entry.script)
  return [
    '<!doctype html>',
    `<html lang="${language}" dir="${directionOf(language)}">`,
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="robots" content="noindex">',
    '<meta name="color-scheme" content="light dark">',
    '<title>Dashboard</title>',
    ...entry.styles.flatMap(pathsOf).map((style) => `<link rel="stylesheet" href="${style}">`),
    ...modules.map((module) => `<link rel="modulepreload" href="${module}">`),
    `<script type="module" src="${script}"></script>`,
    '<link rel="icon" href="data:,">',
    '</head>',
    '<body class="dashboard">',
    `<div id="${APP_ID}"></div>`,
    '<noscript><p class="card">The dashboard needs JavaScript. Turn it on in your browser, then reload the page.</p></noscript>',
    `<script type="application/json" id="${SITE_ID}">${JSON.stringify(site).replaceAll('<', '\\u003c')}</script>`,
    ...(site.early === null
      ? []
      : pathsOf('early.ts').map((early) => `<script type="module" async src="${early}"></script>`)),
    '</body>',
    '</html>',
  ].join('\n')
}

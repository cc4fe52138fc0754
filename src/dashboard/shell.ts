// The HTML document of the dashboard: a script builds everything in it.

import { APP_ID, type DashboardSite, SITE_ID } from '#dashboard/site.ts'
import loads from '#pay/generated/loads.json' with { type: 'json' }
import { directionOf, type Language } from '#pay/texts/texts.ts'

/** Nothing that a person has written is in it. */
export function shellOf(settings: Omit<DashboardSite, 'buyerStyles'>, language: Language): string {
  const site: DashboardSite = { ...settings, buyerStyles: loads['style.css'] }
  const pathsOf = (entry: 'dashboard.css' | 'dashboard.tsx'): string[] =>
    loads[entry].map((file) => `${site.files}/${file}`)
  const [script = '', ...modules] = pathsOf('dashboard.tsx')
  return [
    '<!doctype html>',
    `<html lang="${language}" dir="${directionOf(language)}">`,
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="robots" content="noindex">',
    '<meta name="color-scheme" content="light dark">',
    '<title>Dashboard</title>',
    ...pathsOf('dashboard.css').map((style) => `<link rel="stylesheet" href="${style}">`),
    ...modules.map((module) => `<link rel="modulepreload" href="${module}">`),
    `<script type="module" src="${script}"></script>`,
    '<link rel="icon" href="data:,">',
    '</head>',
    '<body class="dashboard">',
    `<div id="${APP_ID}"></div>`,
    '<noscript><p class="card">The dashboard needs JavaScript. Turn it on in your browser, then reload the page.</p></noscript>',
    `<script type="application/json" id="${SITE_ID}">${JSON.stringify(site).replaceAll('<', '\\u003c')}</script>`,
    '</body>',
    '</html>',
  ].join('\n')
}

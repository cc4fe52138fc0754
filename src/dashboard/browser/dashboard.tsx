// The script of the dashboard.
import { Provider } from '@urql/preact'
import { render } from 'preact'
import { App } from '#dashboard/browser/app.tsx'
import { client } from '#dashboard/browser/client.ts'
import { TEXTS } from '#dashboard/browser/languages.ts'
import { chosenLanguage, WordsProvider, wordsOf } from '#dashboard/browser/say.tsx'
import { site } from '#dashboard/browser/site.ts'
import { APP_ID } from '#dashboard/site.ts'
import { directionOf } from '#pay/texts/texts.ts'

const language = chosenLanguage()
const words = wordsOf(language, await TEXTS[language]())
document.documentElement.lang = language
document.documentElement.dir = directionOf(language)

const root = document.getElementById(APP_ID)
if (root !== null)
  render(
    <Provider value={client}>
      <WordsProvider value={words}>
        <App />
      </WordsProvider>
    </Provider>,
    root,
  )

// After what is shown first: nothing there waits for it.
if (site.isSandbox)
  void import('#pay/browser/demo-wallet.ts').then(({ addDemoWallet }) =>
    addDemoWallet({ api: site.root, chain: site.chains.live ?? '' }),
  )

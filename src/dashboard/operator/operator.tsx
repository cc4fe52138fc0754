// The script of the operator's dashboard. It is made of the parts of the dashboard of businesses, with pages and texts of its own.
import { Provider } from '@urql/preact'
import { render } from 'preact'
import { client } from '#dashboard/browser/client.ts'
import { TEXTS } from '#dashboard/browser/languages.ts'
import { chosenLanguage, WordsProvider, wordsOf } from '#dashboard/browser/say.tsx'
import { App } from '#dashboard/operator/app.tsx'
import { OWN_TEXTS, OwnWordsProvider } from '#dashboard/operator/words.ts'
import { APP_ID } from '#dashboard/site.ts'
import { directionOf } from '#pay/texts/texts.ts'

const language = chosenLanguage()
const [texts, own] = await Promise.all([TEXTS[language](), OWN_TEXTS[language]()])
// The title of the window says whose dashboard it is.
const words = wordsOf(language, { ...texts, ...own, dashboard: own.operator })
document.documentElement.lang = language
document.documentElement.dir = directionOf(language)

const root = document.getElementById(APP_ID)
if (root !== null)
  render(
    <Provider value={client}>
      <WordsProvider value={words}>
        <OwnWordsProvider value={words}>
          <App />
        </OwnWordsProvider>
      </WordsProvider>
    </Provider>,
    root,
  )

// The texts of the widget itself. The page inside of it has its own.
import { isLanguage, type Language } from '#pay/texts/texts.ts'

type WidgetTexts = Readonly<Record<'payment' | 'close' | 'notShown' | 'openPayment', string>>

const TEXTS: Readonly<Record<Language, WidgetTexts>> = {
  en: {
    payment: 'Payment',
    close: 'Close',
    notShown: 'The payment cannot be shown here.',
    openPayment: 'Open the payment',
  },
  de: {
    payment: 'Zahlung',
    close: 'Schließen',
    notShown: 'Die Zahlung kann hier nicht angezeigt werden.',
    openPayment: 'Zahlung öffnen',
  },
  es: {
    payment: 'Pago',
    close: 'Cerrar',
    notShown: 'El pago no se puede mostrar aquí.',
    openPayment: 'Abrir el pago',
  },
  ja: {
    payment: 'お支払い',
    close: '閉じる',
    notShown: 'ここではお支払い画面を表示できません。',
    openPayment: 'お支払い画面を開く',
  },
  ar: {
    payment: 'الدفع',
    close: 'إغلاق',
    notShown: 'لا يمكن عرض عملية الدفع هنا.',
    openPayment: 'فتح صفحة الدفع',
  },
}

/** Returns the texts in the language of the element, else in one that the browser prefers. */
export function widgetTexts(lang: string): { readonly language: Language; readonly texts: WidgetTexts } {
  const preferred = [lang, ...navigator.languages.map((one) => one.slice(0, 2))].find(isLanguage) ?? 'en'
  return { language: preferred, texts: TEXTS[preferred] }
}

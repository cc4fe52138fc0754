// German.
import type { Texts } from './texts.ts'

export const de: Texts = {
  // Every page
  language: 'Sprache',
  sandbox: 'Testumgebung: Nichts hier hat einen Wert.',
  reload: 'Neu laden',
  noScript: 'Diese Seite aktualisiert sich nur mit JavaScript. Laden Sie sie sonst neu, um Änderungen zu sehen.',
  copy: 'Kopieren',
  close: 'Schließen',
  copied: 'Kopiert',
  offline: 'Keine Verbindung. Neuer Versuch läuft …',
  offlinePaying: 'Keine Verbindung. Neuer Versuch läuft … Schon gezahlt? Zahlen Sie nicht noch einmal.',
  tryAgain: 'Erneut versuchen',
  transaction: 'Transaktion',
  sentOut: 'Ausgezahlt',
  onItsWay: 'Unterwegs',
  poweredBy: 'Sicher bezahlen mit Solana',

  // Problems
  notFoundTitle: 'Dieser Link funktioniert nicht',
  notFoundText: 'Prüfen Sie, ob Sie die ganze Adresse kopiert haben, oder bitten Sie den Händler um einen neuen Link.',
  expiredLinkTitle: 'Dieser Link ist abgelaufen',
  expiredLinkText: 'Holen Sie sich mit Ihrer Wallet einen neuen Link, oder bitten Sie den Händler darum.',
  getNewLink: 'Neuen Link holen',
  manageInstead: 'Haben Sie schon ein Abonnement? Mit Ihrer Wallet erhalten Sie einen neuen Link dazu.',
  tooManyTitle: 'Zu viele Anfragen',
  tooManyText: 'Warten Sie eine Minute und laden Sie die Seite dann neu. Es geht nichts verloren.',
  unavailableTitle: 'Gerade nicht verfügbar',
  unavailableText:
    'Der Dienst kann im Moment nicht antworten. Laden Sie die Seite in einer Minute neu. Bereits gesendetes Geld ist sicher.',

  // Payment
  payTo: 'An {merchant} zahlen',
  choose: 'Wie möchten Sie zahlen?',
  amountDue: 'Zu zahlen',
  amountLeft: 'Noch zu zahlen',
  amountReceived: 'Eingegangen',
  amountMissing: 'Fehlt',
  someAmount: 'Ein Betrag',
  timeLeft: 'Verbleibende Zeit',
  lastMinute: 'Weniger als eine Minute zum Zahlen',
  rateLocked:
    'Dieser Betrag gilt, bis die Zeit abgelaufen ist. Was später ankommt, geht an die zahlende Wallet zurück.',
  timeOverTitle: 'Diese Zahlung ist abgelaufen',
  timeOverText:
    'Senden Sie jetzt nichts mehr. Wenn Sie schon gezahlt haben, zeigt diese Seite, was daraus wird; sonst bitten Sie den Händler um einen neuen Link.',
  changeAsset: 'Andere Währung wählen',
  tooSmallFor: 'Betrag zu klein für {token}',
  tooLargeFor: 'Betrag zu groß für {token}',
  noQuotes: 'Gerade ist kein Kurs bekannt. Neuer Versuch …',
  nothingAccepted: 'Es steht nichts mehr zur Auswahl. Bitten Sie {merchant} um einen neuen Link.',
  scan: 'Mit der Wallet auf Ihrem Telefon scannen',
  qrLabel: 'QR-Code für eine Solana-Wallet: {amount} an {address}',
  openWallet: 'In einer Wallet auf diesem Gerät öffnen',
  payByAddress: 'Oder von Hand senden',
  sendExactly: 'Senden Sie genau {amount} über Solana an diese Adresse:',
  exchangeWarning: 'Senden Sie nicht von einer Börse: Eine Rückzahlung könnte Sie nicht erreichen.',
  connectAndPay: 'Mit {wallet} zahlen',
  preparing: 'Wird vorbereitet …',
  confirmInWallet: 'Bestätigen Sie in Ihrer Wallet …',
  sending: 'Wird gesendet …',
  waitingForChain: 'Gesendet. Warten auf das Netzwerk …',
  notKnownYet: 'Es wird geprüft, ob es geklappt hat …',
  notKnownText:
    'Es gibt noch keine Antwort; der Vorgang kann noch durchgehen. Zahlen und signieren Sie nicht noch einmal: Diese Seite prüft weiter und zeigt das Ergebnis.',
  doNotPayAgain: 'Das dauert meist nur wenige Sekunden. Bitte zahlen Sie nicht noch einmal.',
  oneMoment: 'Einen Moment …',
  stopWaiting: 'Abbrechen',
  againByItself: 'Bitte warten. Es wird automatisch noch einmal versucht.',
  stoppedWaiting:
    'Auf dieser Seite abgebrochen. Lehnen Sie die Anfrage auch in Ihrer Wallet ab: Wenn Sie dort bestätigen, kann sie noch ausgeführt werden.',
  mayArrive:
    'Ihre Wallet hat nicht rechtzeitig geantwortet. Wenn Sie dort bestätigt haben, kann die Transaktion noch ankommen. Zahlen Sie nicht doppelt: Prüfen Sie zuerst die Aktivität in Ihrer Wallet.',
  notLanded:
    'Die Transaktion ist nicht rechtzeitig im Netzwerk angekommen. Prüfen Sie die Aktivität in Ihrer Wallet und versuchen Sie es dann erneut.',
  paymentArriving:
    'Gerade geht eine Zahlung ein. Abbrechen oder ändern ist deshalb nicht möglich; die Zahlung erscheint gleich auf dieser Seite.',
  chooseAnother: 'Damit kann diese Zahlung nicht geleistet werden. Wählen Sie etwas anderes.',
  walletRefused: 'Die Wallet hat nicht unterschrieben. Es wurde nichts gesendet.',
  walletCannot: 'Diese Wallet kann das nicht signieren. Wählen Sie eine andere Wallet.',
  paymentNotSent: 'Die Zahlung wurde nicht gesendet. Ihrer Wallet wurde nichts entnommen; versuchen Sie es erneut.',
  paymentNotSeen:
    'Ihre Zahlung ist nicht angekommen und kann auch nicht mehr ankommen. Prüfen Sie den Verlauf in Ihrer Wallet, bevor Sie noch einmal zahlen.',
  insufficientFunds: 'Die Wallet enthält nicht genug für diese Zahlung und die Netzwerkgebühr.',
  cancel: 'Zahlung abbrechen',
  cancelQuestion: 'Diese Zahlung abbrechen?',
  keep: 'Behalten',
  notNow: 'Jetzt nicht',

  // Details of the buyer
  yourDetails: 'Ihre Angaben',
  detailsReason: '{merchant} bittet darum für Ihre Bestellung.',
  firstName: 'Vorname',
  lastName: 'Nachname (falls vorhanden)',
  email: 'E-Mail',
  save: 'Speichern',

  // States of a payment
  underpaidTitle: 'Ein Teil ist eingegangen',
  underpaidText:
    'Senden Sie den Rest an dieselbe Adresse, bevor die Zeit abläuft. Sonst geht das Gesendete an Sie zurück.',
  paidTitle: 'Zahlung eingegangen',
  paidText: 'Vielen Dank. Sie wird jetzt abgewickelt; Sie können diese Seite schließen.',
  overpaidTitle: 'Zahlung eingegangen, und mehr als nötig',
  overpaidText:
    'Der Überschuss geht an die zahlende Wallet zurück, außer wenn er zu klein ist oder von einer Börse oder unbekannten Wallet kam.',
  sweptTitle: 'Bezahlt',
  sweptText: 'Die Zahlung ist abgeschlossen. Vielen Dank.',
  partTitle: 'Ein Teil wurde angenommen',
  partSettlingText:
    'Er wird jetzt abgewickelt. Senden Sie den Rest jetzt nicht; fragen Sie {merchant}, wie es weitergeht.',
  partSettledText: 'Er wurde abgewickelt. Senden Sie den Rest jetzt nicht; fragen Sie {merchant}, wie es weitergeht.',
  refundingTitle: 'Ihre Rückzahlung ist unterwegs',
  refundingText:
    'Sie geht an die zahlende Wallet oder von Hand an eine andere Adresse. Das dauert weniger als eine Minute.',
  refundedTitle: 'Zurückgezahlt',
  refundedText: 'Ihr Geld wurde an die zahlende Wallet gesendet oder von Hand an eine andere Adresse.',
  cancelledTitle: 'Diese Zahlung ist geschlossen',
  cancelledText:
    'Es ging keine Zahlung rechtzeitig ein, oder sie wurde abgebrochen. Senden Sie jetzt nichts; bitten Sie {merchant} um einen neuen Link.',
  refundFailedTitle: 'Die Rückzahlung braucht Hilfe',
  refundFailedText:
    'Das Geld konnte nicht von selbst zurückgesendet werden. Es ist sicher: Wenden Sie sich an {merchant}.',
  lateTitle: 'Geld kam nach dem Ende an',
  lateText: '{amount} kam zu spät an. Es geht an die zahlende Wallet zurück, wo das möglich ist.',
  lateMovingText: '{amount} kam zu spät an. Der Betrag ist unterwegs.',
  lateSentText:
    '{amount} kam zu spät an. Der Betrag wurde an die zahlende Wallet gesendet oder von Hand an eine andere Adresse.',
  lateHeldText:
    '{amount} kam zu spät an. Der Betrag konnte nicht von selbst zurückgesendet werden. Er ist sicher: Wenden Sie sich an {merchant}.',
  lateTooSmallText: '{amount} kam zu spät an. Der Betrag war zu klein, um zurückgesendet zu werden.',
  wrongAssetTitle: 'Etwas anderes ist eingegangen',
  wrongAssetText:
    '{amount} kam an, zählt aber nicht für diese Zahlung. Der Betrag geht an die zahlende Wallet zurück, wo das möglich ist.',
  wrongAssetMovingText: '{amount} kam an, zählt aber nicht für diese Zahlung. Der Betrag ist unterwegs.',
  wrongAssetSentText:
    '{amount} kam an, zählt aber nicht für diese Zahlung. Der Betrag wurde an die zahlende Wallet gesendet oder von Hand an eine andere Adresse.',
  wrongAssetHeldText:
    '{amount} kam an, zählt aber nicht für diese Zahlung. Der Betrag konnte nicht von selbst zurückgesendet werden. Er ist sicher: Wenden Sie sich an {merchant}.',
  wrongAssetTooSmallText:
    '{amount} kam an, zählt aber nicht für diese Zahlung. Der Betrag war zu klein, um zurückgesendet zu werden.',
  heldTitle: 'Ein Betrag wartet',
  heldText:
    '{amount} konnte nicht von selbst weitergeleitet werden. Der Betrag ist sicher: Wenden Sie sich an {merchant}.',

  // Subscribing
  subscribeTo: '{product} abonnieren',
  today: 'Heute',
  afterwards: 'Danach',
  paidIn: 'Gezahlt in',
  everyDay: 'jeden Tag',
  everyWeek: 'jede Woche',
  everyMonth: 'jeden Monat',
  everyYear: 'jedes Jahr',
  every: 'alle {duration}',
  whatYouAllow: 'Was Ihre Unterschrift erlaubt',
  allowance:
    '{merchant} darf insgesamt {total} einziehen: {payments} Zahlungen zu {price}, jede zu Beginn ihres Zeitraums.',
  allowanceOnce: '{merchant} darf einmal {price} einziehen, zu Beginn des Zeitraums.',
  custody: 'Ihr Geld bleibt bis zu jeder Zahlung in Ihrer Wallet.',
  revocable: 'Sie können jederzeit kündigen und die Erlaubnis in Ihrer Wallet zurücknehmen.',
  noFee: 'Die Unterschrift selbst kostet nichts, und Sie brauchen kein SOL.',
  onlyWallet: 'Dieser Abschluss ist für die Wallet {wallet}.',
  subscribeWith: 'Mit {wallet} abonnieren',
  walletNeeded:
    'Es wurde keine Wallet gefunden. Öffnen Sie diese Seite im Browser Ihrer Wallet-App, oder installieren Sie eine Solana-Wallet.',
  backTo: 'Zurück zu {merchant}',
  firstChargeTitle: 'Ihre erste Zahlung läuft',
  firstChargeText: 'Das dauert weniger als eine Minute. Sie können die Seite verlassen; es geht ohne Sie weiter.',
  subscribedTitle: 'Ihr Abonnement läuft',
  subscribedText: 'Die erste Zahlung an {merchant} ist erfolgt. Vielen Dank.',
  manageSubscription: 'Abonnement verwalten',
  returning: 'Sie kehren gleich zurück.',
  firstChargeFailedTitle: 'Die erste Zahlung hat nicht geklappt',
  topUp: 'Ihre Wallet enthält zu wenig {token}. Laden Sie sie auf und versuchen Sie es erneut.',
  allowanceGone: 'Die Erlaubnis ist nicht mehr in Ihrer Wallet. Unterschreiben Sie noch einmal, um fortzufahren.',
  allowAgainWith: 'Mit {wallet} erneut erlauben',
  contactMerchant: 'Das können Sie nicht selbst beheben: Wenden Sie sich an {merchant}.',
  checkoutOverTitle: 'Dieser Abschluss ist geschlossen',
  checkoutExpiredTitle: 'Dieser Abschluss ist abgelaufen',
  checkoutOver: 'Es wurde nichts eingezogen. Bitten Sie den Händler um einen neuen Link.',

  // What can go wrong
  notSubscribed: 'Das hat nicht geklappt. Es wurde nichts eingezogen; versuchen Sie es erneut.',
  notChanged: 'Das hat nicht geklappt. Es wurde nichts geändert; versuchen Sie es erneut.',
  checkFirst:
    'Es kam keine Antwort. Sehen Sie auf dieser Seite nach, ob es geklappt hat, bevor Sie es erneut versuchen.',
  nameNeeded: 'Geben Sie Ihren Namen ein.',
  invalidEmail: 'Geben Sie eine gültige E-Mail-Adresse ein, zum Beispiel name@example.com.',
  notDone: 'Das hat nicht geklappt. Versuchen Sie es erneut.',
  noAnswer:
    'Der Zahlungsdienst hat nicht geantwortet. Prüfen Sie Ihre Internetverbindung, und versuchen Sie es dann erneut.',
  chainAway: 'Das Solana-Netzwerk ist gerade nicht erreichbar. Versuchen Sie es in einer Minute erneut.',
  noTokenAccount: 'Ihre Wallet enthält diesen Token noch nicht. Besorgen Sie sich welche und versuchen Sie es erneut.',
  accountFrozen: 'Ihr Konto für diesen Token ist vom Herausgeber gesperrt.',
  authorizationPending:
    'Eine andere Unterschrift dieser Wallet ist noch unterwegs. Versuchen Sie es in einer Minute erneut.',
  replacesDelegate:
    'Diese Wallet erlaubt schon einer anderen App, dieses Token abzubuchen. Ihre Unterschrift ersetzt diese Erlaubnis: Andere Abonnements, die darüber bezahlt werden, enden. Wählen Sie die Wallet noch einmal, um fortzufahren.',
  allowanceInUse: 'Ein anderes Abonnement dieser Wallet braucht die Erlaubnis noch, oder eine Zahlung läuft gerade.',
  askAgain: 'Inzwischen hat sich etwas geändert. Versuchen Sie es erneut.',
  tookTooLong:
    'Das Unterschreiben hat zu lange gedauert, und es wurde nichts gesendet. Schließen Sie die Anfrage in Ihrer Wallet, und versuchen Sie es erneut.',
  signatureInvalid: 'Die Wallet hat etwas anderes unterschrieben als verlangt. Es wurde nichts gesendet.',
  otherWallet: 'Diese Seite ist für eine andere Wallet. Wählen Sie diese Wallet und versuchen Sie es erneut.',
  walletFull: 'Diese Wallet hat so viele Abonnements, wie eine Wallet haben kann. Kündigen Sie zuerst eines.',
  noLongerSold: 'Dieser Preis wird nicht mehr angeboten. Bitten Sie den Händler um einen neuen Link.',
  proofNeeded: 'Dieser Link kann das nicht. Melden Sie sich mit Ihrer Wallet an, um einen passenden Link zu erhalten.',

  // A subscription
  yourSubscription: 'Ihr Abonnement von {product}',
  activeTitle: 'Aktiv',
  activeText: 'Die nächste Zahlung ist am {date}.',
  endingTitle: 'Endet bald',
  endingText: 'Es endet am {date}. Es wird nichts mehr eingezogen.',
  endingUnderWayText:
    'Es endet am {date}. Eine Zahlung, die schon läuft, kann noch ankommen; sonst wird nichts mehr eingezogen.',
  pastDueTitle: 'Eine Zahlung hat nicht geklappt',
  pastDueText: 'Laden Sie Ihre Wallet auf: Die Zahlung wird von selbst erneut versucht.',
  renewalTitle: 'Die letzte erlaubte Zahlung',
  renewalText: 'Verlängern Sie vor dem {date}, sonst endet das Abonnement dann.',
  pausedTitle: 'Pausiert',
  pausedText: 'Es wird nichts eingezogen, bis es weitergeht.',
  revokedTitle: 'Angehalten: Die Erlaubnis fehlt',
  revokedText: 'Die Erlaubnis wurde in Ihrer Wallet entfernt oder gesenkt. Verlängern Sie, um fortzufahren.',
  exhaustedTitle: 'Angehalten: Alle Zahlungen sind erfolgt',
  exhaustedText: 'Alles, was Sie erlaubt haben, ist gezahlt. Verlängern Sie, um fortzufahren.',
  canceledTitle: 'Gekündigt',
  canceledText: 'Es wird nichts mehr eingezogen.',
  failedTitle: 'Nicht begonnen',
  failedText: 'Die erste Zahlung hat nicht rechtzeitig geklappt. Es wird nichts eingezogen.',
  currentPeriod: 'Dieser Zeitraum',
  paymentsLeft: 'Noch erlaubte Zahlungen',
  yourWallet: 'Ihre Wallet',
  renew: 'Verlängern: erneut {total} erlauben',
  keepSubscription: 'Abonnement behalten',
  resume: 'Fortsetzen',
  pause: 'Pausieren',
  changeTier: 'Tarif wechseln',
  changeTierText: 'Der Wechsel gilt ab der nächsten Zahlung. Was Sie gezahlt haben, bleibt gültig.',
  cancelSubscription: 'Abonnement kündigen',
  cancelAtEnd: 'Abonnement kündigen? Es bleibt bis zum {date} nutzbar, und es wird nichts mehr eingezogen.',
  cancelNow: 'Abonnement kündigen? Es endet sofort.',
  endNow: 'Sofort beenden',
  endNowQuestion:
    'Abonnement sofort beenden? Sie können es dann nicht mehr nutzen, und Gezahltes wird nicht erstattet.',
  signInForMore: 'Um zu verlängern oder mehr zu zahlen, melden Sie sich mit Ihrer Wallet an.',
  signInWithWallet: 'Anmelden',
  signToAgree: 'Ihre Unterschrift ist nötig',
  revocableText:
    'Es wird nichts mehr eingezogen. Die Erlaubnis ist noch in Ihrer Wallet: Sie können auch sie kostenlos entfernen.',
  revoke: 'Erlaubnis entfernen',
  revocation: 'Die Erlaubnis, von Ihrer Wallet einzuziehen, endet. Das kostet nichts.',
  resumption:
    'Unterschreiben Sie mit der Wallet, die zahlt: Nur Sie können fortsetzen, was Sie angehalten haben. Die Unterschrift kostet nichts. Danach gehen die Zahlungen weiter; eine offene dieses Zeitraums ist sofort fällig.',
  agreement: '{merchant} darf dann {rhythm} {price} einziehen, {payments}-mal.',
  agreeWith: 'Mit {wallet} unterschreiben',
  payments: 'Zahlungen',
  chargePlanned: 'geplant',
  chargeUnderWay: 'läuft',
  chargePaid: 'gezahlt',
  chargeFailed: 'fehlgeschlagen',
  chargeCanceled: 'nicht eingezogen',

  // Links to subscriptions
  recoverTitle: 'Ihre Abonnements',
  recoverText: 'Unterschreiben Sie einen Text mit der zahlenden Wallet. Das kostet nichts und bewegt nichts.',
  signInWith: 'Mit {wallet} anmelden',
  noSubscriptions: 'Kein Abonnement gefunden',
  noSubscriptionsText: 'Diese Wallet zahlt hier kein Abonnement. Versuchen Sie eine andere Wallet.',
}

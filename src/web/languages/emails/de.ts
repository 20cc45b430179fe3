// All texts of e-mails, in German.

import type { EmailTexts } from './en.ts'

export const de: EmailTexts = {
  'order_placed.subject': 'Ihre Bestellung {number} bei {merchant}',
  'order_placed.title': 'Vielen Dank für Ihre Bestellung',
  'order_placed.paid': 'Wir haben Ihre Bestellung und Ihre Zahlung über {amount} erhalten.',
  'order_placed.free': 'Wir haben Ihre Bestellung erhalten. Es ist nichts zu zahlen.',
  'order_placed.received': 'Wir haben Ihre Bestellung erhalten.',
  'order_placed.awaiting': 'Wir haben Ihre Bestellung erhalten. {amount} sind noch zu zahlen.',
  'order_placed.processing':
    'Wir haben Ihre Bestellung erhalten. Ihre Zahlung über {amount} wird bearbeitet. Wir schreiben Ihnen, sobald sie eingegangen ist.',
  'order_placed.reference': 'Bitte geben Sie bei der Zahlung die Bestellnummer {number} an.',
  'payment_received.subject': 'Zahlung für Bestellung {number} erhalten',
  'payment_received.title': 'Ihre Zahlung ist eingegangen',
  'payment_received.text': 'Wir haben Ihre Zahlung über {amount} für Bestellung {number} erhalten. Vielen Dank.',
  'payment_received.cancelled':
    'Wir haben Ihre Zahlung über {amount} erhalten. Bestellung {number} war bereits storniert, das Geld geht daher an Sie zurück.',
  'shipped.subject': 'Bestellung {number} ist unterwegs',
  'shipped.title': 'Ihre Bestellung ist unterwegs',
  'shipped.all': 'Ihre Bestellung ist damit vollständig versandt.',
  'shipped.part': 'Ein Teil Ihrer Bestellung wurde versandt. Der Rest folgt in einem weiteren Paket.',
  'shipped.carrier': 'Versanddienst',
  'shipped.items': 'In diesem Paket',
  'order_cancelled.subject': 'Bestellung {number} wurde storniert',
  'order_cancelled.title': 'Ihre Bestellung wurde storniert',
  'order_cancelled.text': 'Bestellung {number} bei {merchant} wurde storniert.',
  'order_cancelled.back': '{amount} gehen auf dem Zahlungsweg an Sie zurück. Das kann einige Tage dauern.',
  'order_cancelled.nothing': 'Es ist nichts mehr zu zahlen.',
  'order_edited.subject': 'Ihre Bestellung {number} wurde geändert',
  'order_edited.title': 'Ihre Bestellung wurde geändert',
  'order_edited.text': '{merchant} hat die Bestellung {number} geändert. Unten steht, was sie jetzt enthält.',
  'order_edited.due': 'Zu zahlen sind insgesamt {amount}.',
  'refunded.subject': 'Erstattung zu Bestellung {number}',
  'refunded.title': 'Ihre Erstattung',
  'refunded.text':
    '{amount} zu Bestellung {number} wurden erstattet. Bis der Betrag auf Ihrem Konto erscheint, können einige Tage vergehen.',
  'return_requested.subject': 'Wir haben Ihre Rücksendeanfrage {number} erhalten',
  'return_requested.title': 'Ihre Rücksendeanfrage',
  'return_requested.text':
    'Wir haben Ihre Anfrage erhalten, Artikel der Bestellung {order} zurückzusenden. Wir schreiben Ihnen, sobald sie geprüft ist.',
  'return_approved.subject': 'Sie können Ihre Rücksendung {number} senden',
  'return_approved.title': 'Ihre Rücksendung wurde angenommen',
  'return_approved.text': 'Sie können die Artikel der Bestellung {order} jetzt zurücksenden.',
  'return_refused.subject': 'Zu Ihrer Rücksendung {number}',
  'return_refused.title': 'Ihre Rücksendung wurde nicht angenommen',
  'return_refused.text': 'Ihre Anfrage, Artikel der Bestellung {order} zurückzusenden, wurde nicht angenommen.',
  'return_received.subject': 'Ihre Rücksendung {number} ist angekommen',
  'return_received.title': 'Ihre Rücksendung ist angekommen',
  'return_received.text': 'Die Artikel Ihrer Rücksendung {number} sind angekommen. Wir prüfen sie.',
  'return_exchanged.subject': 'Ihr Umtausch: Bestellung {exchange}',
  'return_exchanged.title': 'Wir haben Ihre Artikel umgetauscht',
  'return_exchanged.text':
    'Für die Artikel Ihrer Rücksendung {number} haben wir die Bestellung {exchange} angelegt. Sie ist mit dem bezahlt, was Sie für diese Artikel bezahlt haben.',
  'return_closed.subject': 'Ihre Rücksendung {number} ist abgeschlossen',
  'return_closed.title': 'Ihre Rücksendung ist abgeschlossen',
  'return_closed.text': 'Ihre Rücksendung {number} ist abgeschlossen.',
  'return_asked.subject': 'Rücksendung angefragt: {number}',
  'return_asked.title': 'Ein Kunde möchte Artikel zurücksenden',
  'return_asked.text': 'Ein Kunde möchte Artikel der Bestellung {order} zurücksenden. Antworten Sie im Dashboard.',
  'return.instructions': 'So senden Sie die Artikel',
  'return.answer': 'Antwort des Shops',
  'return.label': 'Etikett für das Paket',
  'return.items': 'Artikel dieser Rücksendung',
  'customer_code.subject': 'Ihr Code für {merchant}',
  'customer_code.title': 'Anmelden bei {merchant}',
  'customer_code.code': 'Code',
  'customer_code.button': 'Anmelden',
  'customer_code.text':
    'Geben Sie den Code in dem Browser ein, in dem Sie ihn angefordert haben, oder öffnen Sie dort den Link. Beide gelten einmal und nur {duration}.',
  'customer_code.alone':
    'Geben Sie den Code in dem Browser ein, in dem Sie ihn angefordert haben. Er gilt einmal und nur {duration}.',
  'customer_code.ignore': 'Wenn Sie das nicht angefordert haben, können Sie diese Nachricht ignorieren.',
  'draft_link.subject': 'Ihre Bestellung bei {merchant} kann bezahlt werden',
  'draft_link.title': 'Ihre Bestellung ist vorbereitet',
  'draft_link.text':
    '{merchant} hat eine Bestellung für Sie zusammengestellt. Auf dieser Seite können Sie sie prüfen und bezahlen:',
  'draft_link.button': 'Ansehen und bezahlen',
  'draft_link.valid':
    'Der Link gilt bis {date}. Bitte geben Sie ihn nicht weiter: Wer ihn hat, kann die Bestellung sehen. Wenn Sie nicht darum gebeten haben, können Sie diese Nachricht ignorieren.',
  'payment_returned.subject': 'Ihre Zahlung bei {merchant} geht an Sie zurück',
  'payment_returned.title': 'Ihre Bestellung konnte nicht abgeschlossen werden',
  'payment_returned.text':
    'Ihre Zahlung über {amount} ist eingegangen, die Bestellung war aber nicht mehr möglich. Das Geld geht auf dem Zahlungsweg an Sie zurück. Sie müssen nichts tun.',
  'withdrawal_acknowledged.subject': 'Ihr Widerruf ist eingegangen ({merchant})',
  'withdrawal_acknowledged.title': 'Ihr Widerruf ist eingegangen',
  'withdrawal_acknowledged.text': 'Am {date} haben wir diese Erklärung erhalten:',
  'withdrawal_acknowledged.next':
    'Damit bestätigen wir den Eingang Ihres Widerrufs. {merchant} meldet sich bei Ihnen zum weiteren Ablauf. Wenn Sie das nicht waren, antworten Sie bitte auf diese Nachricht.',
  'withdrawal_received.subject': 'Widerruf zu Bestellung {order}',
  'withdrawal_received.title': 'Ein Käufer hat einen Vertrag widerrufen',
  'withdrawal_received.text':
    'Der Widerruf nennt Bestellung {order}. Er ist am {date} eingegangen. Die Erklärung steht im Dashboard unter Bestellungen, Widerrufe. Besteht das Widerrufsrecht, muss das Geld bis {due} zurückgezahlt sein.',
  'withdrawal_received.unnamed': 'mit unbekannter Nummer',
  'contact_message.subject': 'Nachricht von {name}',
  'contact_message.title': 'Eine Nachricht über Ihr Kontaktformular',
  'contact_message.reply': 'Ihre Antwort auf diese E-Mail geht an den Absender.',
  'confirmation.seller': 'Verkäufer',
  'confirmation.form': 'Muster-Widerrufsformular',
  'confirmation.formText':
    '(Wenn Sie den Vertrag widerrufen wollen, dann füllen Sie bitte dieses Formular aus und senden Sie es zurück.)\n– An {seller}:\n– Hiermit widerrufe(n) ich/wir (*) den von mir/uns (*) abgeschlossenen Vertrag über den Kauf der folgenden Waren (*)/die Erbringung der folgenden Dienstleistung (*)\n– Bestellt am (*)/erhalten am (*)\n– Name des/der Verbraucher(s)\n– Anschrift des/der Verbraucher(s)\n– Unterschrift des/der Verbraucher(s) (nur bei Mitteilung auf Papier)\n– Datum\n(*) Unzutreffendes streichen.',
  'order_received.subject': 'Neue Bestellung {number}: {amount}',
  'order_received.title': 'Neue Bestellung {number}',
  'order_received.open': 'Im Dashboard öffnen',
  'order_received.paid': 'Bezahlt: {amount}.',
  'order_received.free': 'Es war nichts zu zahlen.',
  'order_received.awaiting': 'Wartet auf die Zahlung von {amount}.',
  'refund_failed.subject': 'Eine Erstattung ist fehlgeschlagen: {subject}',
  'refund_failed.title': 'Eine Erstattung konnte nicht ausgezahlt werden',
  'refund_failed.text':
    'Der Zahlungsanbieter hat die Erstattung von {amount} abgelehnt ({subject}). Jemand muss sich darum kümmern: die Erstattung erneut versuchen oder auf anderem Weg zahlen.',
  'dispute_opened.subject': 'Eine Zahlung wird angefochten: {subject}',
  'dispute_opened.title': 'Eine Zahlung wird angefochten',
  'dispute_opened.text':
    'Ein Käufer hat {amount} über seine Bank zurückgefordert ({subject}). Antworten Sie in der Verwaltung Ihres Zahlungsanbieters.',
  'dispute_opened.due':
    'Ein Käufer hat {amount} über seine Bank zurückgefordert ({subject}). Antworten Sie bis {date} in der Verwaltung Ihres Zahlungsanbieters: Ohne Antwort ist das Geld verloren.',
  'payment_account_problem.subject': '{provider} braucht Ihre Aufmerksamkeit',
  'payment_account_problem.title': 'Ihr Konto bei {provider} braucht Aufmerksamkeit',
  'payment_account_problem.key_refused':
    '{provider} nimmt den Schlüssel Ihres Shops nicht mehr an. Kunden können damit nicht bezahlen, laufende Zahlungen und Erstattungen warten. Bitten Sie den Betreiber Ihres Shops, die Schlüssel zu ersetzen (payments rotate).',
  'payment_account_problem.permission_missing':
    'Dem Schlüssel Ihres Shops bei {provider} fehlt eine Berechtigung, deshalb werden manche Anfragen abgelehnt. Ergänzen Sie sie im Dashboard von {provider}; payments check nennt sie.',
  'payment_account_problem.notices_refused':
    'Benachrichtigungen von {provider} werden abgelehnt, weil sie nicht mit dem Geheimnis unterschrieben sind, das Ihr Shop kennt. Zahlungen werden trotzdem gefunden, Minuten später. Bitten Sie den Betreiber Ihres Shops, das Geheimnis zu setzen (payments rotate --notices).',
  'endpoint_disabled.subject': 'Ein Webhook-Endpunkt wurde abgeschaltet',
  'endpoint_disabled.title': 'Ein Webhook-Endpunkt wurde abgeschaltet',
  'endpoint_disabled.failing':
    '{url} ist zu lange fehlgeschlagen. Nichts geht verloren: Ereignisse warten, bis der Endpunkt wieder eingeschaltet wird.',
  'endpoint_disabled.gone':
    '{url} hat geantwortet, dass es ihn nicht mehr gibt. Nichts geht verloren: Ereignisse warten, bis der Endpunkt wieder eingeschaltet wird.',
  'stock_low.subject': 'Niedriger Bestand: {item}',
  'stock_low.title': 'Niedriger Bestand',
  'stock_low.text': {
    one: 'Noch {count} Stück von {item} ({code}).',
    other: 'Noch {count} Stück von {item} ({code}).',
  },
  'stock_low.none': '{item} ({code}) ist ausverkauft.',
  'invitation.subject': 'Einladung zu {merchant}',
  'invitation.title': 'Ihre Einladung zu {merchant}',
  'invitation.text': 'Sie wurden in das Team von {merchant} eingeladen.',
  'invitation.button': 'Einladung annehmen',
  'invitation.ignore': 'Wenn Sie diesen Shop nicht kennen, können Sie diese Nachricht ignorieren.',
  'password_reset.subject': 'Neues Passwort bei {merchant} festlegen',
  'password_reset.title': 'Neues Passwort festlegen',
  'password_reset.text': 'Für Ihr Konto bei {merchant} wurde ein neues Passwort angefordert.',
  'password_reset.button': 'Neues Passwort festlegen',
  'password_reset.ignore':
    'Wenn Sie das nicht waren, können Sie diese Nachricht ignorieren: Ihr Passwort bleibt, wie es ist.',
  'reset_made.subject': 'Ein Link für ein neues Passwort bei {merchant}',
  'reset_made.title': 'Ein Link für ein neues Passwort wurde erstellt',
  'reset_made.text':
    'Jemand, der das Team von {merchant} verwaltet, hat einen Link erstellt, mit dem sich für Ihr Konto ein neues Passwort festlegen lässt.',
  'password_changed.subject': 'Ihr Passwort bei {merchant} wurde geändert',
  'password_changed.title': 'Ihr Passwort wurde geändert',
  'password_changed.text':
    'Für Ihr Konto bei {merchant} wurde ein neues Passwort festgelegt, und Sie wurden überall abgemeldet.',
  'role_changed.subject': 'Ihre Rolle bei {merchant} wurde geändert',
  'role_changed.title': 'Ihre Rolle wurde geändert',
  'role_changed.text': 'Ihre Rolle bei {merchant} ist jetzt: {role}.',
  'factor_removed.subject': 'Ihr zweiter Faktor bei {merchant} wurde entfernt',
  'factor_removed.title': 'Ihr zweiter Faktor wurde entfernt',
  'factor_removed.text':
    'Der zweite Faktor und die Passkeys Ihres Kontos bei {merchant} wurden entfernt. Zum Anmelden genügt jetzt das Passwort.',
  'member_joined.subject': 'Eine neue Person im Team von {merchant}',
  'member_joined.title': 'Eine neue Person in Ihrem Team',
  'member_joined.text':
    '{address} hat die Einladung eines Schlüssels oder einer App angenommen und gehört jetzt zum Team von {merchant} als: {role}.',
  'member_joined.unexpected':
    'Wenn Sie diese Adresse nicht kennen, entfernen Sie die Person im Dashboard unter Einstellungen, Personen, und widerrufen Sie den Schlüssel oder deinstallieren Sie die App.',
  'email.view': 'Bestellung ansehen',
  'email.document': 'Dokument',
  'email.reply': 'Fragen? Antworten Sie auf diese Nachricht.',
  'email.reason':
    'Sie erhalten diese Nachricht, weil diese Adresse bei einer Bestellung bei {merchant} angegeben wurde.',
  'email.reasonMerchant': 'Sie erhalten diese Nachricht, weil dies die Support-Adresse von {merchant} ist.',
  'email.reasonPerson':
    'Sie erhalten diese Nachricht, weil diese Adresse für ein Konto bei {merchant} angegeben wurde.',
  'email.expires': 'Der Link funktioniert einmal. Gültigkeit: {duration}.',
  'email.unexpected':
    'Wenn Sie das nicht erwartet haben, legen Sie über die Anmeldeseite ein neues Passwort fest und fragen Sie einen Inhaber des Shops.',
}

// Everything that e-mails say, in Dutch.

import type { EmailTexts } from './en.ts'

export const nl: EmailTexts = {
  'order_placed.subject': 'Je bestelling {number} bij {merchant}',
  'order_placed.title': 'Bedankt voor je bestelling',
  'order_placed.paid': 'We hebben je bestelling en je betaling van {amount} ontvangen.',
  'order_placed.free': 'We hebben je bestelling ontvangen. Je hoeft niets te betalen.',
  'order_placed.received': 'We hebben je bestelling ontvangen.',
  'order_placed.awaiting': 'We hebben je bestelling ontvangen. {amount} moet nog worden betaald.',
  'order_placed.processing':
    'We hebben je bestelling ontvangen. Je betaling van {amount} wordt verwerkt. We schrijven je zodra ze binnen is.',
  'order_placed.reference': 'Vermeld bij je betaling bestelnummer {number}.',
  'payment_received.subject': 'Betaling ontvangen voor bestelling {number}',
  'payment_received.title': 'Je betaling is binnen',
  'payment_received.text': 'We hebben je betaling van {amount} voor bestelling {number} ontvangen. Bedankt.',
  'payment_received.cancelled':
    'We hebben je betaling van {amount} ontvangen. Bestelling {number} was al geannuleerd, dus je krijgt het geld terug.',
  'shipped.subject': 'Bestelling {number} is onderweg',
  'shipped.title': 'Je bestelling is onderweg',
  'shipped.all': 'Alles wat je hebt besteld, is nu verzonden.',
  'shipped.part': 'Een deel van je bestelling is verzonden. De rest volgt in een ander pakket.',
  'shipped.carrier': 'Bezorgdienst',
  'shipped.items': 'In dit pakket',
  'order_cancelled.subject': 'Bestelling {number} is geannuleerd',
  'order_cancelled.title': 'Je bestelling is geannuleerd',
  'order_cancelled.text': 'Bestelling {number} bij {merchant} is geannuleerd.',
  'order_cancelled.back':
    '{amount} wordt terugbetaald op de manier waarop je hebt betaald. Het kan een paar dagen duren voordat het geld er is.',
  'order_cancelled.nothing': 'Je hoeft niets meer te betalen.',
  'refunded.subject': 'Terugbetaling voor bestelling {number}',
  'refunded.title': 'Je terugbetaling',
  'refunded.text':
    '{amount} voor bestelling {number} is terugbetaald. Het kan een paar dagen duren voordat het op je rekening staat.',
  'return_requested.subject': 'We hebben uw retouraanvraag {number} ontvangen',
  'return_requested.title': 'Uw retouraanvraag',
  'return_requested.text':
    'We hebben uw aanvraag ontvangen om artikelen van bestelling {order} te retourneren. We schrijven u zodra die is bekeken.',
  'return_approved.subject': 'U kunt uw retour {number} versturen',
  'return_approved.title': 'Uw retour is goedgekeurd',
  'return_approved.text': 'U kunt de artikelen van bestelling {order} nu terugsturen.',
  'return_refused.subject': 'Over uw retour {number}',
  'return_refused.title': 'Uw retour is niet aanvaard',
  'return_refused.text': 'Uw aanvraag om artikelen van bestelling {order} te retourneren is niet aanvaard.',
  'return_received.subject': 'Uw retour {number} is aangekomen',
  'return_received.title': 'Uw retour is aangekomen',
  'return_received.text': 'De artikelen van uw retour {number} zijn aangekomen. We controleren ze.',
  'return_closed.subject': 'Uw retour {number} is afgerond',
  'return_closed.title': 'Uw retour is afgerond',
  'return_closed.text': 'Uw retour {number} is afgerond.',
  'return_asked.subject': 'Retour aangevraagd: {number}',
  'return_asked.title': 'Een klant wil artikelen retourneren',
  'return_asked.text': 'Een klant wil artikelen van bestelling {order} retourneren. Antwoord in het dashboard.',
  'return.instructions': 'Zo verstuurt u de artikelen',
  'return.answer': 'Antwoord van de winkel',
  'return.label': 'Etiket voor het pakket',
  'return.items': 'Artikelen van deze retour',
  'customer_code.subject': 'Uw code voor {merchant}',
  'customer_code.title': 'Inloggen bij {merchant}',
  'customer_code.code': 'Code',
  'customer_code.button': 'Inloggen',
  'customer_code.text':
    'Vul de code in in de browser waarin u die hebt aangevraagd, of open daar de link. Beide werken één keer en verlopen na {duration}.',
  'customer_code.ignore': 'Als u dit niet hebt aangevraagd, kunt u dit bericht negeren.',
  'payment_returned.subject': 'Je betaling aan {merchant} wordt teruggestort',
  'payment_returned.title': 'Je bestelling kon niet worden afgerond',
  'payment_returned.text':
    'We hebben je betaling van {amount} ontvangen, maar de bestelling kon niet meer worden geplaatst. Het geld wordt teruggestort op de manier waarop je hebt betaald. Je hoeft niets te doen.',
  'withdrawal_acknowledged.subject': 'Wij hebben uw herroeping ontvangen ({merchant})',
  'withdrawal_acknowledged.title': 'Uw herroeping is ontvangen',
  'withdrawal_acknowledged.text': 'Op {date} hebben wij deze verklaring ontvangen:',
  'withdrawal_acknowledged.next':
    'Hiermee bevestigen wij de ontvangst van uw herroeping. {merchant} neemt contact met u op over het vervolg. Was u dit niet, beantwoord dan deze e-mail.',
  'withdrawal_received.subject': 'Herroeping van bestelling {order}',
  'withdrawal_received.title': 'Een klant heeft een overeenkomst herroepen',
  'withdrawal_received.text':
    'De herroeping noemt bestelling {order}. Zij is ontvangen op {date}. De verklaring staat in het dashboard, onder Orders, Withdrawals. Als het herroepingsrecht geldt, moet het geld uiterlijk {due} terug zijn.',
  'withdrawal_received.unnamed': 'met onbekend nummer',
  'confirmation.seller': 'Verkoper',
  'confirmation.form': 'Modelformulier voor herroeping',
  'confirmation.formText':
    '(Dit formulier alleen invullen en terugzenden als u de overeenkomst wilt herroepen.)\n– Aan {seller}:\n– Ik/Wij (*) deel/delen (*) u hierbij mede dat ik/wij (*) onze overeenkomst betreffende de verkoop van de volgende goederen (*)/levering van de volgende dienst (*) herroep/herroepen (*)\n– Besteld op (*)/Ontvangen op (*)\n– Naam/Namen consument(en)\n– Adres consument(en)\n– Handtekening van consument(en) (alleen wanneer dit formulier op papier wordt ingediend)\n– Datum\n(*) Doorhalen wat niet van toepassing is.',
  'order_received.subject': 'Nieuwe bestelling {number}: {amount}',
  'order_received.title': 'Nieuwe bestelling {number}',
  'order_received.open': 'Openen in het dashboard',
  'order_received.paid': 'Betaald: {amount}.',
  'order_received.free': 'Er viel niets te betalen.',
  'order_received.awaiting': 'Wacht op betaling van {amount}.',
  'refund_failed.subject': 'Een terugbetaling is mislukt: {subject}',
  'refund_failed.title': 'Een terugbetaling kon niet worden uitgevoerd',
  'refund_failed.text':
    'De betaalprovider weigerde {amount} terug te betalen ({subject}). Probeer het opnieuw, of betaal het op een andere manier terug.',
  'dispute_opened.subject': 'Een betaling wordt betwist: {subject}',
  'dispute_opened.title': 'Een betaling wordt betwist',
  'dispute_opened.text':
    'Een klant heeft de bank gevraagd {amount} terug te halen ({subject}). Reageer in het dashboard van je betaalprovider.',
  'dispute_opened.due':
    'Een klant heeft de bank gevraagd {amount} terug te halen ({subject}). Reageer uiterlijk op {date} in het dashboard van je betaalprovider: zonder reactie ben je het geld kwijt.',
  'payment_account_problem.subject': '{provider} vraagt om uw aandacht',
  'payment_account_problem.title': 'Uw account bij {provider} vraagt om aandacht',
  'payment_account_problem.key_refused':
    '{provider} accepteert de sleutel van uw winkel niet meer. Klanten kunnen er niet mee betalen, en lopende betalingen en terugbetalingen wachten. Vraag de beheerder van uw winkel om de sleutels te vervangen (payments rotate).',
  'payment_account_problem.permission_missing':
    'De sleutel van uw winkel bij {provider} mist een recht, waardoor sommige verzoeken worden geweigerd. Voeg het toe in het dashboard van {provider}; payments check noemt het.',
  'payment_account_problem.notices_refused':
    'Meldingen van {provider} worden geweigerd, omdat ze niet zijn ondertekend met het geheim dat uw winkel kent. Betalingen worden toch gevonden, minuten later. Vraag de beheerder van uw winkel om het geheim in te stellen (payments rotate --notices).',
  'endpoint_disabled.subject': 'Een webhook-adres is uitgeschakeld',
  'endpoint_disabled.title': 'Een webhook-adres is uitgeschakeld',
  'endpoint_disabled.failing':
    '{url} heeft te lang gefaald. Er gaat niets verloren: gebeurtenissen wachten tot het adres weer is ingeschakeld.',
  'endpoint_disabled.gone':
    '{url} antwoordde met 410 Gone. Er gaat niets verloren: gebeurtenissen wachten tot het adres weer is ingeschakeld.',
  'stock_low.subject': 'Lage voorraad: {item}',
  'stock_low.title': 'Lage voorraad',
  'stock_low.text': 'Nog maar {count} over: {item} ({code}).',
  'stock_low.none': '{item} ({code}) is uitverkocht.',
  'invitation.subject': 'Uitnodiging voor {merchant}',
  'invitation.title': 'Je uitnodiging voor {merchant}',
  'invitation.text': 'Je bent uitgenodigd voor het team van {merchant}.',
  'invitation.button': 'Uitnodiging aannemen',
  'invitation.ignore': 'Ken je deze winkel niet? Dan kun je dit bericht negeren.',
  'password_reset.subject': 'Stel een nieuw wachtwoord in bij {merchant}',
  'password_reset.title': 'Stel een nieuw wachtwoord in',
  'password_reset.text': 'Er is een nieuw wachtwoord aangevraagd voor je account bij {merchant}.',
  'password_reset.button': 'Nieuw wachtwoord instellen',
  'password_reset.ignore':
    'Heb je dit niet aangevraagd? Dan kun je dit bericht negeren: je wachtwoord blijft hetzelfde.',
  'reset_made.subject': 'Een link voor een nieuw wachtwoord bij {merchant}',
  'reset_made.title': 'Er is een link voor een nieuw wachtwoord gemaakt',
  'reset_made.text':
    'Iemand die het team van {merchant} beheert, heeft een link gemaakt waarmee voor je account een nieuw wachtwoord kan worden ingesteld.',
  'password_changed.subject': 'Je wachtwoord bij {merchant} is gewijzigd',
  'password_changed.title': 'Je wachtwoord is gewijzigd',
  'password_changed.text':
    'Voor je account bij {merchant} is een nieuw wachtwoord ingesteld, en je bent overal uitgelogd.',
  'role_changed.subject': 'Je rol bij {merchant} is gewijzigd',
  'role_changed.title': 'Je rol is gewijzigd',
  'role_changed.text': 'Je rol bij {merchant} is nu: {role}.',
  'factor_removed.subject': 'Je tweede factor bij {merchant} is verwijderd',
  'factor_removed.title': 'Je tweede factor is verwijderd',
  'factor_removed.text':
    'De tweede factor en de passkeys van je account bij {merchant} zijn verwijderd. Met alleen een wachtwoord kom je er nu in.',
  'member_joined.subject': 'Een nieuwe persoon in het team van {merchant}',
  'member_joined.title': 'Een nieuwe persoon in je team',
  'member_joined.text':
    '{address} heeft een uitnodiging van een sleutel of een app aangenomen en hoort nu bij het team van {merchant} als: {role}.',
  'member_joined.unexpected':
    'Als je dit adres niet kent, verwijder de persoon dan in het dashboard bij de instellingen, en trek de sleutel in of verwijder de app.',
  'email.view': 'Je bestelling bekijken',
  'email.document': 'Document',
  'email.reply': 'Vragen? Beantwoord dit bericht.',
  'email.reason': 'Je ontvangt dit bericht omdat dit adres is opgegeven voor een bestelling bij {merchant}.',
  'email.reasonMerchant': 'Je ontvangt dit bericht omdat dit het adres van de klantenservice van {merchant} is.',
  'email.reasonPerson': 'Je ontvangt dit bericht omdat dit adres is opgegeven voor een account bij {merchant}.',
  'email.expires': 'De link werkt één keer en verloopt na {duration}.',
  'email.unexpected':
    'Had je dit niet verwacht? Stel dan via de inlogpagina een nieuw wachtwoord in en vraag het een eigenaar van de winkel.',
}

// All texts of e-mails, in French.

import type { EmailTexts } from './en.ts'

export const fr: EmailTexts = {
  'order_placed.subject': 'Votre commande {number} chez {merchant}',
  'order_placed.title': 'Merci pour votre commande',
  'order_placed.paid': 'Nous avons bien reçu votre commande et votre paiement de {amount}.',
  'order_placed.free': 'Nous avons bien reçu votre commande. Il n’y a rien à payer.',
  'order_placed.received': 'Nous avons bien reçu votre commande.',
  'order_placed.awaiting': 'Nous avons bien reçu votre commande. Il reste {amount} à payer.',
  'order_placed.processing':
    'Nous avons bien reçu votre commande. Votre paiement de {amount} est en cours. Nous vous écrirons dès qu’il sera arrivé.',
  'order_placed.reference': 'Merci d’indiquer le numéro de commande {number} avec votre paiement.',
  'payment_received.subject': 'Paiement reçu pour la commande {number}',
  'payment_received.title': 'Votre paiement est arrivé',
  'payment_received.text': 'Nous avons reçu votre paiement de {amount} pour la commande {number}. Merci.',
  'payment_received.cancelled':
    'Nous avons reçu votre paiement de {amount}. La commande {number} avait déjà été annulée : l’argent vous est donc rendu.',
  'shipped.subject': 'La commande {number} est en route',
  'shipped.title': 'Votre commande est en route',
  'shipped.all': 'Toute votre commande est maintenant expédiée.',
  'shipped.part': 'Une partie de votre commande a été expédiée. Le reste suivra dans un autre colis.',
  'shipped.carrier': 'Transporteur',
  'shipped.items': 'Dans ce colis',
  'order_cancelled.subject': 'La commande {number} a été annulée',
  'order_cancelled.title': 'Votre commande a été annulée',
  'order_cancelled.text': 'La commande {number} chez {merchant} a été annulée.',
  'order_cancelled.back': '{amount} vous sont rendus par votre moyen de paiement. Cela peut prendre quelques jours.',
  'order_cancelled.nothing': 'Il n’y a plus rien à payer.',
  'order_edited.subject': 'Votre commande {number} a été modifiée',
  'order_edited.title': 'Votre commande a été modifiée',
  'order_edited.text': '{merchant} a modifié la commande {number}. Voici ce qu’elle contient maintenant.',
  'order_edited.due': 'Le montant total à payer est de {amount}.',
  'refunded.subject': 'Remboursement de la commande {number}',
  'refunded.title': 'Votre remboursement',
  'refunded.text':
    '{amount} vous ont été remboursés pour la commande {number}. Le montant peut mettre quelques jours à apparaître sur votre compte.',
  'return_requested.subject': 'Nous avons reçu votre demande de retour {number}',
  'return_requested.title': 'Votre demande de retour',
  'return_requested.text':
    'Nous avons reçu votre demande de retour d’articles de la commande {order}. Nous vous écrirons dès qu’elle aura été examinée.',
  'return_approved.subject': 'Vous pouvez envoyer votre retour {number}',
  'return_approved.title': 'Votre retour est accepté',
  'return_approved.text': 'Vous pouvez maintenant renvoyer les articles de la commande {order}.',
  'return_refused.subject': 'À propos de votre retour {number}',
  'return_refused.title': 'Votre retour n’a pas été accepté',
  'return_refused.text': 'Votre demande de retour d’articles de la commande {order} n’a pas été acceptée.',
  'return_received.subject': 'Votre retour {number} est arrivé',
  'return_received.title': 'Votre retour est arrivé',
  'return_received.text': 'Les articles de votre retour {number} sont arrivés. Nous les vérifions.',
  'return_exchanged.subject': 'Votre échange : commande {exchange}',
  'return_exchanged.title': 'Nous avons échangé vos articles',
  'return_exchanged.text':
    'Pour les articles de votre retour {number}, nous avons passé la commande {exchange}. Elle est réglée par ce que vous aviez payé pour ces articles.',
  'return_closed.subject': 'Votre retour {number} est terminé',
  'return_closed.title': 'Votre retour est terminé',
  'return_closed.text': 'Votre retour {number} est terminé.',
  'return_asked.subject': 'Retour demandé : {number}',
  'return_asked.title': 'Un client souhaite retourner des articles',
  'return_asked.text':
    'Un client souhaite retourner des articles de la commande {order}. Répondez dans le tableau de bord.',
  'return.instructions': 'Comment envoyer les articles',
  'return.answer': 'Réponse de la boutique',
  'return.label': 'Étiquette pour le colis',
  'return.items': 'Articles de ce retour',
  'customer_code.subject': 'Votre code pour {merchant}',
  'customer_code.title': 'Connexion à {merchant}',
  'customer_code.code': 'Code',
  'customer_code.button': 'Se connecter',
  'customer_code.text':
    'Saisissez le code dans le navigateur où vous l’avez demandé, ou ouvrez-y le lien. Les deux fonctionnent une fois et expirent après {duration}.',
  'customer_code.alone':
    'Saisissez le code dans le navigateur où vous l’avez demandé. Il fonctionne une seule fois et expire après {duration}.',
  'customer_code.ignore': 'Si vous n’avez rien demandé, vous pouvez ignorer ce message.',
  'draft_link.subject': 'Votre commande chez {merchant} est prête à être payée',
  'draft_link.title': 'Votre commande est prête',
  'draft_link.text': '{merchant} a préparé une commande pour vous. Vérifiez-la et payez sur cette page :',
  'draft_link.button': 'Voir et payer',
  'draft_link.valid':
    'Le lien est valable jusqu’au {date}. Ne le transmettez pas : toute personne qui l’a peut voir la commande. Si vous ne l’avez pas demandée, vous pouvez ignorer ce message.',
  'payment_returned.subject': 'Votre paiement chez {merchant} vous est rendu',
  'payment_returned.title': 'Votre commande n’a pas pu aboutir',
  'payment_returned.text':
    'Votre paiement de {amount} est arrivé, mais la commande n’était plus possible. L’argent vous est rendu par votre moyen de paiement. Vous n’avez rien à faire.',
  'withdrawal_acknowledged.subject': 'Nous avons reçu votre rétractation ({merchant})',
  'withdrawal_acknowledged.title': 'Votre rétractation a été reçue',
  'withdrawal_acknowledged.text': 'Le {date}, nous avons reçu cette déclaration :',
  'withdrawal_acknowledged.next':
    'Ceci confirme la réception de votre rétractation. {merchant} vous contactera pour la suite. Si ce n’était pas vous, veuillez répondre à cet e-mail.',
  'withdrawal_received.subject': 'Rétractation pour la commande {order}',
  'withdrawal_received.title': 'Un client s’est rétracté d’un contrat',
  'withdrawal_received.text':
    'La rétractation concerne la commande {order}. Elle a été reçue le {date}. La déclaration figure dans le tableau de bord, sous Orders, Withdrawals. Si le droit de rétractation s’applique, l’argent doit être remboursé avant le {due}.',
  'withdrawal_received.unnamed': 'au numéro inconnu',
  'contact_message.subject': 'Message de {name}',
  'contact_message.title': 'Un message par votre formulaire de contact',
  'contact_message.reply': 'Votre réponse à cet e-mail est envoyée à l’expéditeur.',
  'confirmation.seller': 'Vendeur',
  'confirmation.form': 'Modèle de formulaire de rétractation',
  'confirmation.formText':
    '(Veuillez compléter et renvoyer le présent formulaire uniquement si vous souhaitez vous rétracter du contrat.)\n– À l’attention de {seller} :\n– Je/nous (*) vous notifie/notifions (*) par la présente ma/notre (*) rétractation du contrat portant sur la vente du bien (*)/pour la prestation de services (*) ci-dessous\n– Commandé le (*)/reçu le (*)\n– Nom du (des) consommateur(s)\n– Adresse du (des) consommateur(s)\n– Signature du (des) consommateur(s) (uniquement en cas de notification du présent formulaire sur papier)\n– Date\n(*) Rayez la mention inutile.',
  'order_received.subject': 'Nouvelle commande {number} : {amount}',
  'order_received.title': 'Nouvelle commande {number}',
  'order_received.open': 'Ouvrir dans le tableau de bord',
  'order_received.paid': 'Payé : {amount}.',
  'order_received.free': 'Il n’y avait rien à payer.',
  'order_received.awaiting': 'En attente du paiement de {amount}.',
  'refund_failed.subject': 'Échec d’un remboursement : {subject}',
  'refund_failed.title': 'Un remboursement n’a pas pu être versé',
  'refund_failed.text':
    'Le prestataire de paiement a refusé de rembourser {amount} ({subject}). Quelqu’un doit s’en occuper : relancer le remboursement, ou le verser autrement.',
  'dispute_opened.subject': 'Un paiement est contesté : {subject}',
  'dispute_opened.title': 'Un paiement est contesté',
  'dispute_opened.text':
    'Un client a demandé à sa banque de récupérer {amount} ({subject}). Répondez dans l’interface de votre prestataire de paiement.',
  'dispute_opened.due':
    'Un client a demandé à sa banque de récupérer {amount} ({subject}). Répondez avant le {date} dans l’interface de votre prestataire de paiement : sans réponse, l’argent est perdu.',
  'payment_account_problem.subject': '{provider} demande votre attention',
  'payment_account_problem.title': 'Votre compte {provider} demande votre attention',
  'payment_account_problem.key_refused':
    '{provider} n’accepte plus la clé de votre boutique. Les clients ne peuvent plus payer par ce moyen, et les paiements et remboursements en cours attendent. Demandez à l’exploitant de votre boutique de remplacer les clés (payments rotate).',
  'payment_account_problem.permission_missing':
    'Il manque une autorisation à la clé de votre boutique chez {provider}, certaines demandes sont donc refusées. Ajoutez-la dans le tableau de bord de {provider} ; payments check la nomme.',
  'payment_account_problem.notices_refused':
    'Les notifications de {provider} sont refusées, car elles ne sont pas signées avec le secret que votre boutique connaît. Les paiements sont tout de même trouvés, quelques minutes plus tard. Demandez à l’exploitant de votre boutique de définir le secret (payments rotate --notices).',
  'endpoint_disabled.subject': 'Un point de terminaison webhook a été désactivé',
  'endpoint_disabled.title': 'Un point de terminaison webhook a été désactivé',
  'endpoint_disabled.failing':
    '{url} échoue depuis trop longtemps. Rien n’est perdu : les événements attendent sa réactivation.',
  'endpoint_disabled.gone':
    '{url} a répondu qu’il n’existe plus. Rien n’est perdu : les événements attendent sa réactivation.',
  'stock_low.subject': 'Stock faible : {item}',
  'stock_low.title': 'Stock faible',
  'stock_low.text': { one: 'Il reste {count} {item} ({code}).', other: 'Il reste {count} {item} ({code}).' },
  'stock_low.none': '{item} ({code}) est épuisé.',
  'invitation.subject': 'Invitation à rejoindre {merchant}',
  'invitation.title': 'Votre invitation à rejoindre {merchant}',
  'invitation.text': 'Vous avez été invité à rejoindre l’équipe de {merchant}.',
  'invitation.button': 'Accepter l’invitation',
  'invitation.ignore': 'Si vous ne connaissez pas cette boutique, vous pouvez ignorer ce message.',
  'password_reset.subject': 'Définir un nouveau mot de passe chez {merchant}',
  'password_reset.title': 'Définir un nouveau mot de passe',
  'password_reset.text': 'Un nouveau mot de passe a été demandé pour votre compte chez {merchant}.',
  'password_reset.button': 'Définir un nouveau mot de passe',
  'password_reset.ignore':
    'Si vous n’êtes pas à l’origine de cette demande, vous pouvez ignorer ce message : votre mot de passe reste inchangé.',
  'reset_made.subject': 'Un lien pour un nouveau mot de passe chez {merchant}',
  'reset_made.title': 'Un lien pour un nouveau mot de passe a été créé',
  'reset_made.text':
    'Une personne qui gère l’équipe de {merchant} a créé un lien permettant de définir un nouveau mot de passe pour votre compte.',
  'password_changed.subject': 'Votre mot de passe chez {merchant} a été modifié',
  'password_changed.title': 'Votre mot de passe a été modifié',
  'password_changed.text':
    'Un nouveau mot de passe a été défini pour votre compte chez {merchant}, et toutes vos sessions ont été fermées.',
  'role_changed.subject': 'Votre rôle chez {merchant} a été modifié',
  'role_changed.title': 'Votre rôle a été modifié',
  'role_changed.text': 'Votre rôle chez {merchant} est désormais : {role}.',
  'factor_removed.subject': 'Votre second facteur chez {merchant} a été supprimé',
  'factor_removed.title': 'Votre second facteur a été supprimé',
  'factor_removed.text':
    'Le second facteur et les clés d’accès de votre compte chez {merchant} ont été supprimés. Le mot de passe suffit désormais pour se connecter.',
  'member_joined.subject': 'Une nouvelle personne dans l’équipe de {merchant}',
  'member_joined.title': 'Une nouvelle personne dans votre équipe',
  'member_joined.text':
    '{address} a accepté une invitation créée par une clé ou une application et fait désormais partie de l’équipe de {merchant} en tant que : {role}.',
  'member_joined.unexpected':
    'Si vous ne connaissez pas cette adresse, retirez cette personne dans les paramètres du tableau de bord, puis révoquez la clé ou désinstallez l’application.',
  'email.view': 'Voir votre commande',
  'email.document': 'Document',
  'email.reply': 'Des questions ? Répondez à ce message.',
  'email.reason': 'Vous recevez ce message parce que cette adresse a été indiquée pour une commande chez {merchant}.',
  'email.reasonMerchant': 'Vous recevez ce message parce que cette adresse est celle de l’assistance de {merchant}.',
  'email.reasonPerson':
    'Vous recevez ce message parce que cette adresse a été indiquée pour un compte chez {merchant}.',
  'email.expires': 'Le lien ne peut être utilisé qu’une fois et expire au bout de {duration}.',
  'email.unexpected':
    'Si vous ne vous y attendiez pas, définissez un nouveau mot de passe depuis la page de connexion et interrogez un propriétaire de la boutique.',
}

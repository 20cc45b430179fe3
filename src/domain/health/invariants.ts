// Rules that must always hold for the stored data, as SQL that finds the exceptions. The same rules run in tests and,
// through `doctor`, in production.

import { Fragment, type Reader } from '../../platform/storage/storage.ts'

export interface Invariant {
  name: string
  sentence: string
  // Names of the rows that violate the rule; empty if the rule holds. At most ten: one is enough to act on.
  violations: (db: Reader) => Promise<{ subject: string }[]>
}

// Events up to this time may have been deleted; all later ones must exist.
const eventsGone = new Fragment(`coalesce((select at from sweeps where name = 'events'), 0)`)

export const invariants: readonly Invariant[] = [
  {
    name: 'listed_is_published',
    sentence: 'A product is listed exactly while it is published, in both modes.',
    violations: (db) => db.sql`
      select p.id as "subject" from products p
      cross join (select 'live' as mode union all select 'test' as mode) m
      left join listed_products l on l.merchant_id = p.merchant_id and l.mode = m.mode and l.product_id = p.id
      where (p.published_at is null) <> (l.product_id is null) or l.published_at <> p.published_at or l.slug <> p.slug
      limit 10`,
  },
  {
    name: 'product_has_sku',
    sentence: 'A listed product has a SKU that is for sale.',
    violations: (db) => db.sql`
      select distinct l.product_id as "subject" from listed_products l
      where not exists (
        select 1 from skus s where s.merchant_id = l.merchant_id and s.product_id = l.product_id and s.retired_at is null)
      limit 10`,
  },
  {
    name: 'listed_as_sold',
    sentence: 'A product that is not stale is listed with the prices and the number of its SKUs.',
    // The row is JSON, and no string in it can contain this text: quotation marks in strings are escaped.
    violations: (db) => db.sql`
      select distinct l.product_id as "subject" from listed_products l
      join merchants m on m.id = l.merchant_id
      join (
        select merchant_id, product_id, min(price) as lowest, max(price) as highest, count(*) as skus
        from skus where retired_at is null group by merchant_id, product_id) s
        on s.merchant_id = l.merchant_id and s.product_id = l.product_id
      -- The condition on the mode makes the index usable: without it all products of the merchant are read for each
      -- row.
      where l.mode in ('test', 'live') and l.stale_at is null and l.list_row not like
        '%"priceRange":{"min":{"amount":' || s.lowest || ',"currency":"' || m.currency || '"},"max":{"amount":'
        || s.highest || ',"currency":"' || m.currency || '"}},%"skuCount":' || s.skus || ',%'
      limit 10`,
  },
  {
    name: 'listed_by_name',
    sentence: 'A product that is not stale has the current name of its merchant.',
    // Escapes the characters that a name may contain and that JSON escapes.
    violations: (db) => db.sql`
      select distinct l.product_id as "subject" from listed_products l
      join (
        select id, '"merchant":{"slug":"' || slug || '","name":"' || replace(replace(replace(replace(replace(name,
          ${'\\'}, ${'\\\\'}), ${'"'}, ${'\\"'}), ${'\n'}, ${'\\n'}), ${'\r'}, ${'\\r'}), ${'\t'}, ${'\\t'}) || '"}' as named
        from merchants) m on m.id = l.merchant_id
      where l.stale_at is null and replace(l.detail, m.named, '') = l.detail
      limit 10`,
  },
  {
    name: 'stock_not_negative',
    sentence: 'Stock on hand is never negative.',
    violations: (db) => db.sql`select sku_id as "subject" from stock where on_hand < 0 limit 10`,
  },
  {
    name: 'sku_has_stock',
    sentence: 'A SKU has a stock row in each mode.',
    violations: (db) => db.sql`
      select s.id as "subject" from skus s
      left join (select merchant_id, sku_id, count(*) as modes from stock group by merchant_id, sku_id) t
        on t.merchant_id = s.merchant_id and t.sku_id = s.id
      where coalesce(t.modes, 0) <> 2
      limit 10`,
  },
  {
    name: 'stock_is_movements',
    sentence: 'Stock on hand is the sum of its movements in each mode.',
    violations: (db) => db.sql`
      select t.sku_id as "subject" from stock t
      left join (
        select merchant_id, sku_id, mode, sum(delta) as moved from stock_movements group by merchant_id, sku_id, mode) v
        on v.merchant_id = t.merchant_id and v.sku_id = t.sku_id and v.mode = t.mode
      where t.on_hand <> coalesce(v.moved, 0)
      limit 10`,
  },
  {
    name: 'held_is_holds',
    sentence: 'The held quantity of a SKU is the sum of its holds in each mode.',
    violations: (db) => db.sql`
      select t.sku_id as "subject" from stock t
      left join (select merchant_id, sku_id, mode, sum(quantity) as held from holds group by merchant_id, sku_id, mode) h
        on h.merchant_id = t.merchant_id and h.sku_id = t.sku_id and h.mode = t.mode
      where t.held <> coalesce(h.held, 0)
      limit 10`,
  },
  {
    name: 'hold_has_sku',
    sentence: 'The SKU of a hold belongs to the merchant of the hold.',
    violations: (db) => db.sql`
      select h.owner_id as "subject" from holds h
      left join skus s on s.merchant_id = h.merchant_id and s.id = h.sku_id
      where s.id is null
      limit 10`,
  },
  {
    name: 'restocked_was_sold',
    sentence: 'An order never returns more stock than it took.',
    violations: (db) => db.sql`
      select owner_id as "subject" from stock_movements where owner_id is not null
      group by merchant_id, owner_id, sku_id, mode having sum(delta) > 0
      limit 10`,
  },
  {
    name: 'stock_events_without_gap',
    sentence: 'The stock events of a SKU have no gaps in each mode, up to its version there.',
    violations: (db) => db.sql`
      select t.sku_id as "subject" from stock t
      join (
        select installation_id, subject_id, min(sequence) as first, max(sequence) as last, count(*) as told
        from events where subject_type = 'sku' and occurred_at > ${eventsGone}
        group by installation_id, subject_id) e on e.subject_id = t.sku_id
      join installations i on i.id = e.installation_id and i.merchant_id = t.merchant_id and i.mode = t.mode
      where e.last - e.first + 1 <> e.told or e.last > t.version or (e.last < t.version and i.disabled_at is null)
      limit 10`,
  },
  {
    name: 'category_tree',
    sentence: 'A category and its ancestors belong to one merchant, form no cycle, and are at most eight levels.',
    // Walks from child to parent, because there is no index on the parent.
    violations: (db) => db.sql`
      with recursive line (merchant_id, id, parent_id, depth) as (
        select merchant_id, id, parent_id, 1 from categories
        union all
        select c.merchant_id, line.id, c.parent_id, line.depth + 1 from line
        join categories c on c.merchant_id = line.merchant_id and c.id = line.parent_id where line.depth < 8)
      select id as "subject" from line
      group by merchant_id, id having count(*) = count(parent_id)
      limit 10`,
  },
  {
    name: 'category_count',
    sentence:
      'The product count of a category is the number of products listed in it or below it, once provisioning has ended.',
    violations: (db) => db.sql`
      with recursive tree (merchant_id, root, id) as (
        select merchant_id, id, id from categories
        union
        select tree.merchant_id, c.parent_id, tree.id from tree
        join categories c on c.merchant_id = tree.merchant_id and c.id = tree.root
        where c.parent_id is not null)
      select c.id as "subject" from categories c
      join (
        select tree.merchant_id, tree.root, count(distinct l.product_id) as listed
        from tree
        left join product_categories pc on pc.merchant_id = tree.merchant_id and pc.category_id = tree.id
        left join listed_products l
          on l.merchant_id = pc.merchant_id and l.mode = 'live' and l.product_id = pc.product_id
        group by tree.merchant_id, tree.root) r on r.merchant_id = c.merchant_id and r.root = c.id
      where c.product_count <> r.listed
      limit 10`,
  },
  {
    name: 'credential_of_one_merchant',
    sentence: 'A credential, its installation and their merchant belong together.',
    violations: (db) => db.sql`
      select c.id as "subject" from credentials c
      join installations i on i.id = c.installation_id
      where c.merchant_id <> i.merchant_id or c.mode <> i.mode
      limit 10`,
  },
  {
    name: 'ended_has_no_key',
    sentence: 'An uninstalled installation is disabled, and all its keys are revoked.',
    violations: (db) => db.sql`
      select i.id as "subject" from installations i
      where i.ended_at is not null and (i.disabled_at is null or exists (
        select 1 from credentials c where c.installation_id = i.id and c.revoked_at is null))
      limit 10`,
  },
  {
    name: 'ended_has_no_grant',
    sentence: 'An uninstalled installation has no grant, code or token.',
    violations: (db) => db.sql`
      select i.id as "subject" from installations i
      where i.ended_at is not null and exists (select 1 from oauth_artifacts t where t.grant_id = i.grant_id)
      limit 10`,
  },
  {
    name: 'delivered_in_order',
    sentence:
      'An endpoint receives the events of a subject in order: none is sent before the earlier ones are finished there.',
    violations: (db) => db.sql`
      select d.id as "subject" from webhook_deliveries d
      join webhook_deliveries p on p.installation_id = d.installation_id and p.endpoint_id = d.endpoint_id
        and p.subject_id = d.subject_id and p.sequence < d.sequence and p.replay_of is null
        and p.status in ('pending', 'sending', 'retrying')
      where d.status = 'sending' and d.replay_of is null
      limit 10`,
  },
  {
    name: 'owed_has_text',
    sentence: 'A delivery that is not finished still has the text of its event.',
    violations: (db) => db.sql`
      select d.id as "subject" from webhook_deliveries d
      join events e on e.installation_id = d.installation_id and e.id = d.event_id
      where d.status in ('pending', 'sending', 'retrying') and d.replay_of is null and e.body = ''
      limit 10`,
  },
  {
    name: 'order_is_told',
    sentence: 'The events of an order have no gaps, from its placement up to its version.',
    violations: (db) => db.sql`
      select o.id as "subject" from orders o
      left join (
        select installation_id, subject_id, min(sequence) as first, max(sequence) as last, count(*) as told,
          sum(case when type = 'order.placed' and sequence = 1 then 1 else 0 end) as placed
        from events where subject_type = 'order' group by installation_id, subject_id) e
        on e.installation_id = o.installation_id and e.subject_id = o.id
      where e.last > o.version or (o.placed_at > ${eventsGone} and (
        e.told is null or e.placed <> 1 or e.first <> 1 or e.last <> o.version or e.told <> o.version))
      limit 10`,
  },
  {
    name: 'order_took_stock',
    sentence: 'What an order sold was taken from stock, or is recorded as owed on backorder.',
    violations: (db) => db.sql`
      select l.order_id as "subject" from order_lines l
      left join (
        select merchant_id, owner_id, sku_id,
          sum(case when kind = 'sold' then backordered - delta else -backordered end) as sold
        from stock_movements where kind in ('sold', 'restocked') and owner_id is not null
        group by merchant_id, owner_id, sku_id) v
        on v.merchant_id = l.merchant_id and v.owner_id = l.order_id and v.sku_id = l.sku_id
      where coalesce(v.sold, 0) <> l.quantity
      limit 10`,
  },
  {
    name: 'order_sums_agree',
    sentence: 'The amounts of an order are the sums of its lines and its shipping.',
    violations: (db) => db.sql`
      select o.id as "subject" from orders o
      left join (
        select installation_id, order_id, sum(quantity) as items, sum(subtotal) as subtotal, sum(discount) as discount,
          sum(tax) as tax, max(2 * abs(subtotal - unit_price * quantity)) as off,
          sum(case when 2 * abs(subtotal - unit_price * quantity) > quantity + 1 then 1 else 0 end) as wrong
        from order_lines group by installation_id, order_id) l
        on l.installation_id = o.installation_id and l.order_id = o.id
      where l.order_id is null or l.wrong > 0
        or (l.off > 0 and coalesce(o.tax_relief, 'small_business') = 'small_business') or l.items <> o.item_count or l.subtotal <> o.subtotal
        or l.discount > o.discount or o.discount - l.discount > o.shipping or l.tax + o.shipping_tax <> o.tax
        or o.total <> o.subtotal - o.discount + o.shipping + case when o.price_tax = 'excluded' then o.tax else 0 end
      limit 10`,
  },
  {
    name: 'paid_order_has_payment',
    sentence:
      'What was paid for an order is its total and what edits took off it since, and is zero before it is paid.',
    violations: (db) => db.sql`
      select o.id as "subject" from orders o
      left join (
        select installation_id, order_id, sum(amount) as paid
        from payments where status = 'succeeded' and order_id is not null group by installation_id, order_id) p
        on p.installation_id = o.installation_id and p.order_id = o.id
      where coalesce(p.paid, 0) <> case when o.payment_status in ('pending', 'voided') then 0 else o.total + o.reduced end
      limit 10`,
  },
  {
    name: 'refunded_is_refunds',
    sentence: 'The refunded amount of an order is the sum of its refunds, including those that are pending.',
    violations: (db) => db.sql`
      select o.id as "subject" from orders o
      left join (
        select installation_id, order_id, sum(amount) as owed
        from refunds where kind = 'refund' and status <> 'failed' and edit_id is null and order_id is not null
        group by installation_id, order_id) r
        on r.installation_id = o.installation_id and r.order_id = o.id
      where o.refunded <> coalesce(r.owed, 0)
      limit 10`,
  },
  {
    name: 'reduced_is_refunds',
    sentence: 'What edits took off an order after it was paid is owed back once, whether or not it could be paid yet.',
    violations: (db) => db.sql`
      select o.id as "subject" from orders o
      left join (
        select installation_id, order_id, sum(amount) as owed
        from refunds where edit_id is not null and replaced_by is null group by installation_id, order_id) r
        on r.installation_id = o.installation_id and r.order_id = o.id
      where o.reduced <> coalesce(r.owed, 0)
      limit 10`,
  },
  {
    name: 'refunded_lines_within_lines',
    sentence: 'What was refunded by line is not more than was ordered and paid for the line.',
    violations: (db) => db.sql`
      select l.order_id as "subject" from order_lines l
      join (
        select f.installation_id, f.order_id, f.sku_id, sum(f.quantity) as units, sum(f.amount) as amount
        from refund_lines f join refunds r on r.installation_id = f.installation_id and r.id = f.refund_id
        where r.status <> 'failed' group by f.installation_id, f.order_id, f.sku_id) b
        on b.installation_id = l.installation_id and b.order_id = l.order_id and b.sku_id = l.sku_id
      where b.units > l.quantity or b.amount > l.total
      limit 10`,
  },
  {
    name: 'refunded_shipping_within_shipping',
    sentence: 'What was refunded as shipping is not more than the shipping of the order costs.',
    violations: (db) => db.sql`
      select o.id as "subject" from orders o
      join (
        select f.installation_id, f.order_id, sum(f.amount) as amount
        from refund_lines f join refunds r on r.installation_id = f.installation_id and r.id = f.refund_id
        where f.sku_id = '' and r.status <> 'failed' group by f.installation_id, f.order_id) b
        on b.installation_id = o.installation_id and b.order_id = o.id
      where b.amount > o.total - (
        select coalesce(sum(l.total), 0) from order_lines l where l.installation_id = o.installation_id and l.order_id = o.id)
      limit 10`,
  },
  {
    name: 'returned_was_sent',
    sentence: 'What came back was sent, and no more went back into stock than came.',
    violations: (db) => db.sql`
      select l.order_id as "subject" from order_lines l
      join (
        select installation_id, order_id, sku_id, sum(received) as received, sum(restocked) as restocked
        from return_lines group by installation_id, order_id, sku_id) b
        on b.installation_id = l.installation_id and b.order_id = l.order_id and b.sku_id = l.sku_id
      where b.received > l.fulfilled or b.restocked > b.received
      limit 10`,
  },
  {
    name: 'return_is_told',
    sentence: 'The events of a return have no gaps, up to its version.',
    violations: (db) => db.sql`
      select t.id as "subject" from returns t
      left join (
        select installation_id, subject_id, min(sequence) as first, max(sequence) as last, count(*) as told
        from events where subject_type = 'return' group by installation_id, subject_id) e
        on e.installation_id = t.installation_id and e.subject_id = t.id
      where e.last > t.version or (t.requested_at > ${eventsGone} and (
        e.told is null or e.first <> 1 or e.last <> t.version or e.told <> t.version))
      limit 10`,
  },
  {
    name: 'refunds_within_payment',
    sentence:
      'The refunds of a payment, including those that are pending and those of orders to which its money moved, are not more than the payment.',
    violations: (db) => db.sql`
      select p.id as "subject" from refunds r
      join payments own on own.installation_id = r.installation_id and own.id = r.payment_id
      join payments p on p.installation_id = own.installation_id and p.id = coalesce(own.moved_from, own.id)
      where r.kind = 'refund' and r.status <> 'failed' and r.moved_to is null
      group by p.installation_id, p.id, p.amount having sum(r.amount) > p.amount
      limit 10`,
  },
  {
    name: 'moved_money_is_paid',
    sentence: 'Money that moved from one order to another is a payment of the same amount there.',
    violations: (db) => db.sql`
      select coalesce(r.id, p.id) as "subject" from refunds r
      left join payments own on own.installation_id = r.installation_id and own.id = r.payment_id
      left join payments p on p.installation_id = r.installation_id and p.id = r.moved_to and p.amount = r.amount
        and p.moved_from = coalesce(own.moved_from, own.id) and p.status = 'succeeded' and p.order_id is not null
      where r.moved_to is not null and (p.id is null or r.status <> 'succeeded')
      union all
      select p.id as "subject" from payments p
      left join refunds r on r.installation_id = p.installation_id and r.moved_to = p.id
      where p.moved_from is not null and r.id is null
      limit 10`,
  },
  {
    name: 'exchange_is_credit',
    sentence: 'What an exchange costs and gives back is what was credited for the returned items.',
    violations: (db) => db.sql`
      select e.order_id as "subject" from return_exchanges e
      left join (
        select installation_id, order_id, sum(amount) as moved from payments
        where moved_from is not null and status = 'succeeded' group by installation_id, order_id) p
        on p.installation_id = e.installation_id and p.order_id = e.order_id
      where coalesce(p.moved, 0) <> e.credit or e.refunded > e.credit or (e.refunded > 0 and e.paid > 0)
      limit 10`,
  },
  {
    name: 'foreign_refund_is_named',
    sentence:
      'A refund that was made at the provider itself has its reference there, unless it failed, and is never sent by us.',
    violations: (db) => db.sql`
      select id as "subject" from refunds
      where origin = 'provider' and (try_at is not null or (reference is null and status <> 'failed'))
      limit 10`,
  },
  {
    name: 'refunding_while_pending',
    sentence: 'An order with a pending refund has the payment status refunding.',
    violations: (db) => db.sql`
      select o.id as "subject" from refunds r
      join orders o on o.installation_id = r.installation_id and o.id = r.order_id
      where r.try_at is not null and r.kind = 'refund' and r.edit_id is null and o.payment_status <> 'refunding'
      limit 10`,
  },
  {
    name: 'cancelled_says_how',
    sentence: 'An order has a cancellation exactly when it is cancelled.',
    violations: (db) => db.sql`
      select id as "subject" from orders where (status = 'cancelled') <> (cancellation is not null) limit 10`,
  },
  {
    name: 'promotion_used_is_uses',
    sentence:
      'The use count of a promotion in a mode is the number of its orders that used it and have not released the use.',
    violations: (db) => db.sql`
      select p.id as "subject" from promotions p
      left join (
        select merchant_id, promotion_id, sum(case when mode = 'live' then 1 else 0 end) as live,
          sum(case when mode = 'test' then 1 else 0 end) as test
        from promotion_uses where given_back_at is null group by merchant_id, promotion_id) u
        on u.merchant_id = p.merchant_id and u.promotion_id = p.id
      where p.used <> coalesce(u.live, 0) or p.test_used <> coalesce(u.test, 0)
      limit 10`,
  },
  {
    name: 'promotion_use_is_of_order',
    sentence: 'An order that used a promotion has a use of it, and releases it when the order is cancelled.',
    violations: (db) => db.sql`
      select o.id as "subject" from orders o
      left join promotion_uses u on u.merchant_id = o.merchant_id and u.promotion_id = o.promotion_id and u.order_id = o.id
      where o.promotion_id is not null
        and (u.order_id is null or (o.status = 'cancelled') <> (u.given_back_at is not null))
      limit 10`,
  },
  {
    name: 'modes_apart',
    sentence: 'No row of one mode belongs to a row of the other.',
    violations: (db) => db.sql`
      select "subject" from (
        select o.id as "subject" from orders o join installations i on i.id = o.installation_id
        where o.mode <> i.mode or o.merchant_id <> i.merchant_id or (o.number like 'T-%') <> (o.mode = 'test')
        union all
        select h.owner_id from holds h
        join installations i on i.merchant_id = h.merchant_id
        join checkout_sessions c on c.installation_id = i.id and c.id = h.owner_id
        where h.mode <> i.mode
        union all
        select o.id from orders o
        join stock_movements v on v.merchant_id = o.merchant_id and v.owner_id = o.id
        where v.mode <> o.mode
        union all
        select o.id from orders o
        join promotion_uses u on u.merchant_id = o.merchant_id and u.promotion_id = o.promotion_id and u.order_id = o.id
        where u.mode <> o.mode
        union all
        select p.id from payments p join installations i on i.id = p.installation_id
        where p.provider = 'test' and i.mode <> 'test') as crossed
      limit 10`,
  },
  {
    name: 'cart_is_told',
    sentence:
      'The events of a cart start at its creation, are at most one per version, and reach its version, unless an event is still pending.',
    violations: (db) => db.sql`
      select c.id as "subject" from carts c
      left join (
        select installation_id, subject_id, min(sequence) as first, max(sequence) as last,
          count(*) - count(distinct sequence) as doubled
        from events where subject_type = 'cart' group by installation_id, subject_id) e
        on e.installation_id = c.installation_id and e.subject_id = c.id
      where (c.created_at > ${eventsGone} and (e.first is null or e.first <> 1)) or e.doubled > 0
        or e.last > c.version or (c.untold_since is not null and e.last = c.version)
        or (c.updated_at > ${eventsGone} and c.untold_since is null and (e.last is null or e.last <> c.version))
      limit 10`,
  },
  {
    name: 'session_ends_once',
    sentence:
      'A checkout session that has ended has one terminal event, matching its status; one that has not ended has none.',
    violations: (db) => db.sql`
      select c.id as "subject" from checkout_sessions c
      left join (
        select installation_id, subject_id, count(*) as ends, min(type) as type from events
        where subject_type = 'checkout_session'
          and type in ('checkout_session.completed', 'checkout_session.cancelled', 'checkout_session.expired')
        group by installation_id, subject_id) e on e.installation_id = c.installation_id and e.subject_id = c.id
      where e.ends > 1 or e.type <> 'checkout_session.' || c.status
        or (e.ends is null and c.status not in ('open', 'processing') and c.updated_at > ${eventsGone})
      limit 10`,
  },
  {
    name: 'order_ends_once',
    sentence:
      'An order that is completed or cancelled has one terminal event, matching its status; any other has none.',
    violations: (db) => db.sql`
      select o.id as "subject" from orders o
      left join (
        select installation_id, subject_id, count(*) as ends, min(type) as type from events
        where subject_type = 'order' and type in ('order.completed', 'order.cancelled')
        group by installation_id, subject_id) e on e.installation_id = o.installation_id and e.subject_id = o.id
      where e.ends > 1 or e.type <> 'order.' || o.status
        or (e.ends is null and o.status in ('completed', 'cancelled') and o.placed_at > ${eventsGone})
      limit 10`,
  },
  {
    name: 'completed_has_order',
    sentence: 'A checkout session is completed exactly when it has an order, which it made or changed.',
    violations: (db) => db.sql`
      select c.id as "subject" from checkout_sessions c
      left join orders o on o.installation_id = c.installation_id and o.id = c.order_id
      where (c.status = 'completed') <> (o.id is not null)
      union all
      select c.id as "subject" from orders o
      join checkout_sessions c on c.installation_id = o.installation_id and c.id = o.checkout_session_id
      where c.status <> 'completed' or c.order_id <> o.id
      limit 10`,
  },
  {
    name: 'locked_while_processing',
    sentence: 'A cart is locked exactly while its checkout session is processing.',
    // Both statuses are named as in the condition of the partial index of sessions that have not ended; otherwise SQLite would not use
    // the index.
    violations: (db) => db.sql`
      select c.id as "subject" from carts c
      left join checkout_sessions s on s.installation_id = c.installation_id and s.cart_id = c.id
        and s.status in ('open', 'processing') and s.status = 'processing'
      where (c.status = 'locked') <> (s.id is not null)
      limit 10`,
  },
  {
    name: 'over_holds_nothing',
    sentence: 'A checkout session that has ended holds no stock.',
    violations: (db) => db.sql`
      select h.owner_id as "subject" from holds h
      join installations i on i.merchant_id = h.merchant_id
      join checkout_sessions c on c.installation_id = i.id and c.id = h.owner_id
      where c.status not in ('open', 'processing')
      limit 10`,
  },
  {
    name: 'key_has_answer',
    sentence: 'An idempotency key is stored with its answer.',
    violations: (db) => db.sql`select key as "subject" from idempotency_keys where answer is null limit 10`,
  },
  // The records of the test provider show which money moved, from the provider's side. Other providers keep such records on their own
  // servers, so they cannot be compared here.
  {
    name: 'charge_has_payment',
    sentence: 'A charge recorded by the test provider belongs to a payment of the same amount.',
    violations: (db) => db.sql`
      select t.key as "subject" from test_charges t
      left join payments p on p.id = t.key and p.amount = t.amount
      where p.id is null
      limit 10`,
  },
  {
    name: 'paid_order_has_charge',
    sentence: 'A payment of an order through the test provider has a charge of its amount there.',
    violations: (db) => db.sql`
      select o.id as "subject" from orders o
      join payments p on p.installation_id = o.installation_id and p.order_id = o.id and p.provider = 'test'
        and p.moved_from is null
      left join test_charges t on t.key = p.id and t.amount = p.amount and t.state = 'approved'
      where t.key is null
      limit 10`,
  },
  {
    name: 'charged_once',
    sentence: 'A checkout session is charged at most once, and a charge without an order is refunded or owed back.',
    violations: (db) => db.sql`
      select p.checkout_session_id as "subject" from test_charges t
      join payments p on p.id = t.key
      left join refunds r on r.installation_id = p.installation_id and r.payment_id = p.id and r.kind = 'void'
      where t.state = 'approved' and p.status not in ('processing', 'challenge') and r.id is null
      group by p.installation_id, p.checkout_session_id
      having count(*) > 1 or sum(case when p.order_id is null then 1 else 0 end) > 0
      limit 10`,
  },
  {
    name: 'given_back_is_refunds',
    sentence: 'What the test provider refunded of a charge is the sum of its refunds, once none of them is pending.',
    violations: (db) => db.sql`
      select t.key as "subject" from test_charges t
      left join (
        select coalesce(p.moved_from, p.id) as payment_id,
          sum(case when f.kind = 'refund' and f.status = 'succeeded' and f.paid_by_hand_at is null then f.amount else 0 end)
            as given,
          sum(case when f.status = 'pending' then 1 else 0 end) as pending
        from refunds f join payments p on p.installation_id = f.installation_id and p.id = f.payment_id
        group by coalesce(p.moved_from, p.id)) r on r.payment_id = t.key
      where t.refunded <> coalesce(r.given, 0) and coalesce(r.pending, 0) = 0
      limit 10`,
  },
  {
    name: 'sales_are_orders',
    sentence:
      'Once all orders of a merchant are counted, the days of its reports add up to its orders, as a whole and by country.',
    violations: (db) => db.sql`
      select m.merchant_id as "subject" from (
        select merchant_id, mode, sum(total) as total, sum(refunded) as refunded from (
          select merchant_id, mode, case when status = 'cancelled' then 0 else total end as total,
            case when status = 'cancelled' then 0 else refunded end as refunded from orders) o
        group by merchant_id, mode) m
      join (
        select merchant_id, mode, part, sum(total) as total, sum(refunded) as refunded from sales_days
        where part in ('all', 'country') group by merchant_id, mode, part) s
        on s.merchant_id = m.merchant_id and s.mode = m.mode
      where (s.total <> m.total or s.refunded <> m.refunded) and not exists (
        select 1 from orders o where o.merchant_id = m.merchant_id and o.mode = m.mode
          and (o.counted_version <> o.version or o.counted_refunded <> o.refunded))
        and not exists (select 1 from sales_recounts c where c.merchant_id = m.merchant_id and c.mode = m.mode)
      limit 10`,
  },
  {
    name: 'documents_sum_up',
    sentence: 'A document is the sum of its rates, and net and tax are its total.',
    violations: (db) => db.sql`
      select d.id as "subject" from documents d
      join (
        select merchant_id, document_id, sum(net) as net, sum(tax) as tax, sum(total) as total
        from document_rates group by merchant_id, document_id) r
        on r.merchant_id = d.merchant_id and r.document_id = d.id
      where d.net <> r.net or d.tax <> r.tax or d.total <> r.total or d.net + d.tax <> d.total
      limit 10`,
  },
  {
    name: 'credited_at_most',
    sentence: 'Credit notes of an order are at most its invoices.',
    violations: (db) => db.sql`
      select order_id as "subject" from documents group by merchant_id, order_id
      having sum(case when kind = 'invoice' then total else -total end) < 0
        or sum(case when kind = 'invoice' then tax else -tax end) < 0
      limit 10`,
  },
]

export interface InvariantViolation {
  name: string
  sentence: string
  subjects: string[]
}

// Runs all queries in one snapshot, so a concurrent change does not appear as a violation.
export async function findViolations(db: Reader): Promise<InvariantViolation[]> {
  const findings: InvariantViolation[] = []
  for (const { name, sentence, violations } of invariants) {
    const subjects = (await violations(db)).map(({ subject }) => subject)
    if (subjects.length > 0) findings.push({ name, sentence, subjects })
  }
  return findings
}

-- The books of the test payment provider. They stand in for a service at the other end of a wire: no other table refers to
-- them, they are written in transactions of their own, and they outlive the process that asked. Of a card they keep what
-- a receipt would show.

create table test_charges (
  -- The payment's id at the one who asks. Asked twice under one key, one charge is made.
  key text not null primary key,
  amount bigint not null check (amount >= 0),
  currency text not null,
  state text not null check (state in ('challenge', 'approved', 'declined', 'voided')),
  -- Why it was declined.
  error_code text,
  brand text,
  card_last4 text check (card_last4 is null or length(card_last4) = 4),
  -- How refunds of this charge are answered, as the card wants it.
  refund_answer text not null check (refund_answer in ('given', 'refused', 'lost')),
  refunded bigint not null default 0 check (refunded >= 0),
  created_at bigint not null,
  updated_at bigint not null,
  check (refunded <= amount)
);

create table test_refunds (
  key text not null primary key,
  charge_key text not null references test_charges (key),
  amount bigint not null check (amount >= 0),
  created_at bigint not null
);
create index test_refunds_of_charge on test_refunds (charge_key);

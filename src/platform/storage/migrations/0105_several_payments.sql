-- An order may have several payments, where an edit or an exchange cost more. What goes back at once is spread over them: a refund for each, of
-- which all but the first name the first.
alter table refunds add column part_of text;

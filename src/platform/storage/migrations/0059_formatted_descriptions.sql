-- The description of a product as safe HTML, beside its plain text. Null: there is only the text.
alter table products add column description_html text;

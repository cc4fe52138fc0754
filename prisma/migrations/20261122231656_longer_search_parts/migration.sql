-- Parts of 4, 6 and 12 characters are searched by too, so that a search for a rare text reads few entries of the index.
CREATE FUNCTION search_parts_of(searched text) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(array_agg(DISTINCT substr(line, start, length)), '{}')
  FROM string_to_table(searched, E'\n') line, unnest('{1,2,3,4,6,12}'::int[]) length,
    generate_series(1, length(line) - length + 1) start
$$;

UPDATE "accounts" SET "search_parts" = search_parts_of("search_text") WHERE "search_text" <> '';
UPDATE "subscription_products" SET "search_parts" = search_parts_of("search_text");
UPDATE "payment_search" SET "parts" = search_parts_of("text");

DROP FUNCTION search_parts_of(text);

-- The scope "billing" was one, and never used. A key that had it may do all of recurring billing.
UPDATE "api_keys"
SET "scopes" = array_remove("scopes", 'billing') || ARRAY['subscriptions-view', 'subscriptions-manage']
WHERE 'billing' = ANY ("scopes");

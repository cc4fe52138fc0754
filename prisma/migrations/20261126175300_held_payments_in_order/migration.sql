-- Payments with held money, in an order that no later payment to their addresses changes.
DROP INDEX "payment_intents_held";
CREATE INDEX "payment_intents_held" ON "payment_intents" ("derivation_index") WHERE "held" <> '[]';

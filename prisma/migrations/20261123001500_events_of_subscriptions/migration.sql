-- Followers of a subscription read its events after a version.
CREATE INDEX "events_of_subscriptions" ON "events" ("subject_id", "version") WHERE subject_kind = 'subscription';

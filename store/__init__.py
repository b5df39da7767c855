"""The one door to Supabase. Nobody else builds a query."""

/** Fields that only the history sets: it makes a deleted object again as it was. No contract takes them. */
export type Restored = { readonly created_at?: string }

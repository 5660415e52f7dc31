/** Fields that only the history sets: it makes a deleted object again as it was. No contract takes them. */
export type Restored = { readonly created_at?: string }

/** Restored objects have exactly the values of custom fields that they had. */
export const asRestored = (draft: Restored | undefined): { readonly isRestored: boolean } => ({
  isRestored: draft?.created_at !== undefined,
})

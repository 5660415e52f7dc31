/** The way back that a toast offers after a write. */

type Changes = readonly unknown[]

/** @param changes ids in the order of the changes @returns the option of `toast`; empty if nothing was changed */
export const createUndo = (changes: Changes): { readonly undo?: () => void } => {
  const ids = changes.filter((id) => typeof id === 'string')
  if (ids.length === 0) return {}
  return { undo: () => void import('../../history/undo-now.ts').then(({ undoNow }) => undoNow(ids)) }
}

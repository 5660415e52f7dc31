/** The kind that was just defined: its page begins with the focus on the button that makes its first object. */

let id: string | undefined

export const noteDefined = (kindId: string): void => {
  id = kindId
}

/** Returns true once for the kind that was just defined. */
export const takeDefined = (kindId: string): boolean => {
  const isIt = id === kindId
  if (isIt) id = undefined
  return isIt
}

/** The source that was just made: its page begins with a test of its connection. */

let id: string | undefined

export const noteMade = (sourceId: string): void => {
  id = sourceId
}

/** Returns true once for the source that was just made. */
export const takeMade = (sourceId: string): boolean => {
  const isIt = id === sourceId
  if (isIt) id = undefined
  return isIt
}

/** Patterns of text fields, in the syntax of RE2. The engine takes linear time, so no pattern can stop the process. */
import { RE2JS } from 're2js'

/** The largest number of compiled patterns that are kept. */
const MAX_KEPT = 200

const compiled = new Map<string, RE2JS | undefined>()

const compile = (pattern: string): RE2JS | undefined => {
  try {
    return RE2JS.compile(pattern)
  } catch {
    // The syntax of RE2 has no look-around and no back references.
    return undefined
  }
}

/** Undefined for a text that is no pattern. */
const getPattern = (pattern: string): RE2JS | undefined => {
  if (compiled.has(pattern)) return compiled.get(pattern)
  if (compiled.size >= MAX_KEPT) compiled.clear()
  const made = compile(pattern)
  compiled.set(pattern, made)
  return made
}

export const isPattern = (pattern: string): boolean => getPattern(pattern) !== undefined

/** True if the whole text matches. */
export const matchesPattern = (pattern: string, text: string): boolean => getPattern(pattern)?.matches(text) ?? false

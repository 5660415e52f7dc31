// The lines of a text, one by one: the text may be that of a large file.

/** A line and its number, from 1 on. */
export type Line = { readonly number: number; readonly text: string }

/** Yields the lines without their ends. */
export function* splitLines(text: string): Generator<Line> {
  let number = 0
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    const stop = end < 0 ? text.length : end
    yield { number: ++number, text: text.slice(at, stop).replace(/\r$/, '') }
    at = stop + 1
  }
}

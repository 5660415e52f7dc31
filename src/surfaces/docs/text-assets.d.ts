// Files that are imported as text, so that a compiled executable contains them.
declare module '*.css' {
  const text: string
  export = text
}

declare module '*/docs.js' {
  const text: string
  export = text
}

declare module '*/confusables.txt' {
  const text: string
  export = text
}

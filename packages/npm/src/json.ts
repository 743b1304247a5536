// Reads JSON without losing a digit: a number that JavaScript's cannot hold is read as the text of its digits.

const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

export function parse(text: string): any {
  // Numbers with fewer digits are exact.
  const exact = /[\d.]{16}/.test(text) ? text.replace(TOKENS, (token) => (isExact(token) ? token : `"${token}"`)) : text;
  return JSON.parse(exact);
}

function isExact(token: string): boolean {
  if (token.startsWith('"')) return true;
  const digits = token.replace(/[eE].*$/, "").replace(/[-.]/g, "").replace(/^0+/, "");
  return digits.length <= 15 || Number.isSafeInteger(Number(token));
}

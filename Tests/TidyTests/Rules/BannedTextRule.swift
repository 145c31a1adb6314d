// SPDX-License-Identifier: Apache-2.0

/// A rule against words that do not belong in a published repository.
struct BannedTextRule: TidyRule {
  private enum Place { case code, text }
  private enum Scope { case everywhere, swift, product }

  private struct Ban {
    let word: StaticString
    let place: Place
    let scope: Scope
    let reason: String

    init(_ word: StaticString, _ place: Place, _ scope: Scope, _ reason: String) {
      self.word = word
      self.place = place
      self.scope = scope
      self.reason = reason
    }
  }

  private static let bans: [Ban] = [
    Ban("try!", .code, .swift, "a data condition throws"),
    Ban(" as!", .code, .swift, "a cast is checked"),
    Ban("fatalError(", .code, .product, "a programmer error is a preconditionFailure"),
    // Passing it data that it does not decode itself is not a use.
    Ban("NSKeyedUnarchiver.", .code, .swift, "it ends the process on bytes it does not expect"),
    Ban("NSKeyedUnarchiver(", .code, .swift, "it ends the process on bytes it does not expect"),
    Ban("PropertyListSerialization", .code, .swift, "it ends the process on unexpected bytes"),
    Ban("TODO", .text, .everywhere, "a note to oneself is an issue"),
    Ban("FIXME", .text, .everywhere, "a note to oneself is an issue"),
    Ban("not implemented", .text, .product, "what stands is done"),
    Ban("not yet implemented", .text, .product, "what stands is done"),
    Ban("unimplemented", .text, .product, "what stands is done"),
    Ban("whoever", .text, .product, "a sentence has a noun: the caller, a reader, another process"),
    Ban("Whoever", .text, .product, "a sentence has a noun: the caller, a reader, another process"),
    Ban("somebody", .text, .product, "a sentence has a noun: a waiter, another writer, the owner"),
    Ban("Somebody", .text, .product, "a sentence has a noun: a waiter, another writer, the owner"),
    Ban("/work/", .text, .everywhere, "a path of one machine"),
    Ban("/root/", .text, .everywhere, "a path of one machine"),
    Ban("/home/", .text, .everywhere, "a path of one machine"),
    Ban("/tmp/", .text, .everywhere, "a path of one machine"),
  ]

  func findings(in file: SourceFile) -> [Finding] {
    // This folder contains the words because it searches for them.
    guard !file.path.hasPrefix("Tests/TidyTests/") else { return [] }
    var found: [Finding] = []
    for ban in Self.bans where applies(ban, to: file) && file.text.has(ban.word) {
      let lines = ban.place == .code ? file.codeLines : file.lines
      for (index, line) in lines.enumerated() where line.has(ban.word) {
        found.append(
          Finding(path: file.path, line: index + 1, message: "\(ban.word): \(ban.reason)"))
      }
    }
    return found
  }

  private func applies(_ ban: Ban, to file: SourceFile) -> Bool {
    switch ban.scope {
    case .everywhere: true
    // Programs ported from Core Data stay unchanged.
    case .swift: file.isSwift && !file.path.hasPrefix("Tests/RoostCoreDataNamesTests/Ported/")
    case .product: file.isSwift && file.isProduct
    }
  }
}

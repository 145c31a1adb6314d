// SPDX-License-Identifier: Apache-2.0

/// Files import both Foundation and Roost, so no public top-level name may be in both.
struct FoundationNamesRule: TidyRule {
  /// Names of Foundation and of the standard library, as far as a persistence framework could want them.
  static let taken: Set<String> = [
    "Predicate", "PredicateExpression", "PredicateExpressions", "PredicateBindings",
    "PredicateError", "PredicateCodableConfiguration", "Expression", "SortDescriptor",
    "SortComparator", "SortOrder", "KeyPathComparator", "ComparableComparator", "UndoManager",
    "ValueTransformer", "Notification", "NotificationCenter", "NotificationQueue", "Bundle",
    "Data", "Date", "DateInterval", "DateComponents", "Decimal", "UUID", "URL", "URLComponents",
    "URLQueryItem", "URLRequest", "URLResponse", "URLSession", "Locale", "Calendar", "TimeZone",
    "TimeInterval", "IndexPath", "IndexSet", "Measurement", "Unit", "Dimension", "Operation",
    "OperationQueue", "BlockOperation", "Process", "ProcessInfo", "Thread", "Timer", "RunLoop",
    "Progress", "ProgressReporting", "Port", "Pipe", "Stream", "InputStream", "OutputStream",
    "Host", "Scanner", "Formatter", "NumberFormatter", "DateFormatter", "FileHandle",
    "FileManager", "FileWrapper", "FileAttributeKey", "JSONEncoder", "JSONDecoder",
    "JSONSerialization", "PropertyListEncoder", "PropertyListDecoder", "CocoaError", "URLError",
    "POSIXError", "LocalizedError", "RecoverableError", "CustomNSError", "UserDefaults",
    "AttributedString", "AttributeContainer", "AttributeScope", "AttributeScopes",
    "AttributedStringKey", "CharacterSet", "Morphology", "InflectionRule", "LanguageDirection",
    "PersonNameComponents", "ByteCountFormatter", "FormatStyle", "ParseStrategy",
    "ParseableFormatStyle", "ListFormatStyle", "RegularExpression", "TextCheckingResult",
    "Lock", "RecursiveLock", "ConditionLock", "XMLParser", "XMLNode", "XMLElement",
    "XMLDocument", "EnergyFormatter", "ReferenceConvertible", "MachError",
    "Result", "Set", "Dictionary", "Array", "String", "Character", "Range", "Task", "TaskGroup",
    "Actor", "Observable", "Error", "Never", "Optional", "Mirror", "Clock",
    "Duration", "Instant", "Regex", "Mutex", "Atomic", "Int128", "Span",
  ]

  /// Names that Foundation has on Apple's systems only, where the product with Core Data's names leaves them to it.
  private static let standIns: Set<String> = ["UndoManager", "ValueTransformer"]

  private static let types: Set<String> = [
    "class", "struct", "enum", "protocol", "actor", "typealias", "macro",
  ]

  func findings(in file: SourceFile) -> [Finding] {
    guard file.isSwift, file.isProduct else { return [] }
    var found: [Finding] = []
    for (index, line) in file.codeLines.enumerated() {
      // Indented declarations are nested types or members.
      guard let first = line.first, first != " ", first != "}" else { continue }
      guard let declaration = PublicDeclaration(line: line),
        Self.types.contains(declaration.keyword), Self.taken.contains(declaration.name)
      else { continue }
      let isStandIn = Self.standIns.contains(declaration.name)
      if isStandIn, file.path.hasPrefix("Sources/RoostCoreDataNames/") { continue }
      found.append(
        Finding(
          path: file.path, line: index + 1, message: "\(declaration.name) is a Foundation name"))
    }
    return found
  }
}

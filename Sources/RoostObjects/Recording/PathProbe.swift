// SPDX-License-Identifier: Apache-2.0

import RoostQuery
import Synchronization

/// Finds the stored properties along a key path by evaluating it on path recorders, several times.
///
/// Each read of a property returns a distinguishable value. A key path names stored properties only if each step
/// reads one property of the object before it and the result is exactly the value that the last read returned; a
/// value that a getter computes differs from it in one of the rounds. The first values are harmless ones, so that a
/// getter that computes is detected before it gets an empty text or a number at the end of its range.
struct PathProbe {
  let keyPath: AnyKeyPath
  let objectClass: ManagedObject.Type

  /// The values that properties return in a round.
  enum Round: Equatable {
    /// The value with an index, among those for the property's type.
    case value(Int)
    /// Like the first round, but with nil for optional relationships.
    case nowhere
    /// A value of each element of a composite: the first one for its type, except for one element.
    case elements(ElementSample.Variation)
  }

  /// A cache of the names along key paths.
  private static let known = Mutex(Known())

  private struct KnownPath: Hashable, @unchecked Sendable {
    // Sendable: a key path of properties captures nothing but the classes that it leads through.
    let keyPath: AnyKeyPath
  }

  private struct Known: Sendable {
    private struct Recent: Sendable {
      let path: KnownPath
      let names: Result<[String], RefusedKeyPath>
    }

    private var names: [KnownPath: Result<[String], RefusedKeyPath>] = [:]
    /// A cache of some of them by the address of the key path: a literal is the same instance each time, and
    /// comparing the contents of key paths takes longer than all the rest of a condition.
    private var recent = [Recent?](repeating: nil, count: 64)

    private static let capacity = 4096

    subscript(path: KnownPath) -> Result<[String], RefusedKeyPath>? {
      mutating get {
        let place = Int(bitPattern: Unmanaged.passUnretained(path.keyPath).toOpaque()) >> 4 & 63
        if let known = recent[place], known.path.keyPath === path.keyPath { return known.names }
        guard let names = names[path] else { return nil }
        recent[place] = Recent(path: path, names: names)
        return names
      }
      set {
        if names.count >= Self.capacity { names.removeAll() }
        names[path] = newValue
      }
    }
  }

  static func path(of keyPath: AnyKeyPath) throws(RefusedKeyPath) -> [String] {
    let path = KnownPath(keyPath: keyPath)
    if let names = known.withLock({ $0[path] }) { return try names.get() }
    let names = find(keyPath)
    known.withLock { $0[path] = names }
    return try names.get()
  }

  private static func find(_ keyPath: AnyKeyPath) -> Result<[String], RefusedKeyPath> {
    let root = type(of: keyPath).rootType
    if let objectClass = root as? ManagedObject.Type {
      return PathProbe(keyPath: keyPath, objectClass: objectClass).find()
    }
    guard let composite = root as? any CompositeValue.Type,
      let path = ElementSearch.path(of: keyPath, from: composite)
    else { return .failure(RefusedKeyPath(keyPath, readProperties: [])) }
    return .success(path)
  }

  private func find() -> Result<[String], RefusedKeyPath> {
    let first = follow(.value(0))
    let path = first.reads.map(\.name)
    if case .composite(let sample, let isOptional)? = first.reads.last?.answer {
      let elements = findElement(of: sample, isOptional: isOptional, behind: path)
      return elements.map { .success(path + $0) }
        ?? .failure(RefusedKeyPath(keyPath, readProperties: path))
    }
    var isStored =
      first.isStored && first.isReadAgain
      && (KeyPathShape.stepCount(of: keyPath) ?? path.count) == path.count
    var number = 1
    while isStored, number < min(first.recorder.valueCount, 64) {
      let next = follow(.value(number))
      isStored = next.isStored && next.reads.map(\.name) == path
      number += 1
    }
    if isStored, first.mayLeadNowhere {
      let next = follow(.nowhere)
      isStored = next.isNothing && path.starts(with: next.reads.map(\.name))
    }
    return isStored ? .success(path) : .failure(RefusedKeyPath(keyPath, readProperties: path))
  }

  /// Returns the names from a composite, which is read last, to the element at the end of the key path; none for the
  /// composite itself, nil when the key path computes its value.
  private func findElement(
    of first: ElementSample, isOptional: Bool, behind path: [String]
  ) -> [String]? {
    var search = ElementSearch(first.composite, of: keyPath, isOptional: isOptional)
    for variation in first.variations {
      let outcome = follow(.elements(variation))
      guard case .composite(let sample, _)? = outcome.reads.last?.answer, outcome.isChain,
        outcome.reads.map(\.name) == path
      else { return nil }
      search.keep(outcome.result, of: sample)
    }
    let last = follow(.elements(.none))
    if last.mayLeadNowhere {
      let next = follow(.nowhere)
      guard next.isNothing, path.starts(with: next.reads.map(\.name)) else { return nil }
    }
    guard let elements = search.path, last.isReadAgain,
      (KeyPathShape.stepCount(of: keyPath) ?? path.count + elements.count)
        == path.count + elements.count
    else { return nil }
    return elements
  }

  private func follow(_ round: Round) -> Outcome {
    let recorder = PathRecorder(round, valueType: type(of: keyPath).valueType)
    let root = objectClass.makeRecorder(recorder)
    return Outcome(keyPath: keyPath, recorder: recorder, root: root, result: root[keyPath: keyPath])
  }

  /// The outcome of evaluating a key path.
  private struct Outcome {
    let keyPath: AnyKeyPath
    let recorder: PathRecorder
    let root: ManagedObject
    /// The value of the key path; nil also for an optional without a value.
    let result: Any?
    let reads: [PathRecorder.Read]

    init(keyPath: AnyKeyPath, recorder: PathRecorder, root: ManagedObject, result: Any?) {
      self.keyPath = keyPath
      self.recorder = recorder
      self.root = root
      self.result = PathValues.unwrapped(result)
      reads = recorder.reads
    }

    /// Whether the properties are read again when the key path is evaluated again; a lazy property keeps the value
    /// that its first read computed.
    var isReadAgain: Bool {
      _ = root[keyPath: keyPath]
      return recorder.reads.dropFirst(reads.count).map(\.name) == reads.map(\.name)
    }

    var isNothing: Bool { result == nil }

    private var valueType: Any.Type { type(of: keyPath).valueType }

    /// Whether each property was read from the object before it, and the last value read is the result.
    var isStored: Bool {
      guard isChain, let last = reads.last else { return false }
      return isResult(last.answer)
    }

    /// Whether each property was read from the object before it.
    var isChain: Bool {
      var object = ObjectIdentifier(root)
      for (index, read) in reads.enumerated() {
        guard read.object == object else { return false }
        if index == reads.count - 1 { return true }
        guard case .destination(let destination?, _) = read.answer else { return false }
        object = ObjectIdentifier(destination)
      }
      return false
    }

    /// Whether nil in a step may make the whole key path nil. Key paths with `!`, which would end the program, and
    /// those of a non-optional type are not evaluated with nil.
    var mayLeadNowhere: Bool {
      guard PathValues.isOptional(valueType), !KeyPathShape.hasForce(keyPath) else { return false }
      return reads.contains { read in
        switch read.answer {
        case .destination(_, isOptional: true), .composite(_, isOptional: true): true
        default: false
        }
      }
    }

    private func isResult(_ answer: PathAnswer) -> Bool {
      switch answer {
      case .value(let value):
        guard isWide(enoughFor: type(of: value)) else { return false }
        return PathValues.areSame(result, PathValues.unwrapped(value))
      case .destination(let object, let isOptional):
        guard isWide(enoughFor: isOptional ? ManagedObject?.self : ManagedObject.self) else {
          return false
        }
        return (result as? ManagedObject) === object
      case .members(let members, let type):
        guard let result, Swift.type(of: result) == type else { return false }
        return PathValues.areSame(result, members)
      case .composite: return false
      case .anything(let type):
        return PathValues.wrapped(valueType) == PathValues.wrapped(type)
      }
    }

    /// Whether the key path's type is optional if a value's type is, unless the key path itself has a `!`.
    private func isWide(enoughFor type: Any.Type) -> Bool {
      !PathValues.isOptional(type) || PathValues.isOptional(valueType)
        || KeyPathShape.hasForce(keyPath)
    }
  }
}

/// Information from Swift's description of a key path: the number of its properties, and whether it has a `!`.
enum KeyPathShape {
  /// The number of properties and subscripts; nil when the format of the description is not the known one.
  static func stepCount(of keyPath: AnyKeyPath) -> Int? {
    isKnown ? count(keyPath) : nil
  }

  /// Whether the key path has a `!`.
  static func hasForce(_ keyPath: AnyKeyPath) -> Bool { keyPath.debugDescription.contains("!") }

  private final class Sample {
    var next: Sample? { nil }
    var number: Int { 0 }
  }

  private static let isKnown =
    count(\Sample.next?.number) == 2 && count(\Sample.next!.next!.number) == 3
    && count(\Sample.number) == 1

  private static func count(_ keyPath: AnyKeyPath) -> Int? {
    let text = keyPath.debugDescription
    let root = "\\\(type(of: keyPath).rootType)"
    guard text.hasPrefix(root) else { return nil }
    var count = 0
    var depth = 0
    var previous: Character = " "
    for character in text.dropFirst(root.count) {
      switch character {
      case "<": depth += 1
      // The arrow of a function type is not a closing bracket.
      case ">" where previous != "-": depth -= 1
      case "." where depth == 0: count += 1
      default: break
      }
      previous = character
    }
    return count
  }
}

//! Formats, argument bytes, and what must come out. The expected text is what C prints.

use pumice_reflection::{ByteString, PrintfInfo};

use super::Formats;

fn info(id: u32, format: &str, sizes: &[u32]) -> PrintfInfo {
    PrintfInfo {
        id,
        format: ByteString(format.as_bytes().to_vec()),
        argument_sizes: sizes.to_vec(),
    }
}

/// A buffer with these records; word 0 counts their words.
fn buffer(records: &[(u32, &[&[u8]])]) -> Vec<u8> {
    let mut bytes = vec![0; 4];
    for (id, arguments) in records {
        bytes.extend(id.to_le_bytes());
        for argument in *arguments {
            bytes.extend_from_slice(argument);
            bytes.resize(bytes.len().next_multiple_of(4), 0xcc);
        }
    }
    let words = (bytes.len() / 4 - 1) as u32;
    bytes[..4].copy_from_slice(&words.to_le_bytes());
    bytes
}

fn decode(formats: &Formats, buffer: &[u8]) -> String {
    let mut text = Vec::new();
    formats.decode(buffer, &mut |record| text.extend_from_slice(record));
    String::from_utf8(text).unwrap()
}

#[test]
fn what_found_no_room_is_counted() {
    let mut formats = Formats::default();
    assert!(formats.insert(&PrintfInfo {
        id: 1,
        format: ByteString(b"%d\n".to_vec()),
        argument_sizes: vec![4],
    }));
    let four = [1_i32, 2, 3, 4].map(i32::to_le_bytes);
    let records: Vec<(u32, Vec<&[u8]>)> = (four.iter()).map(|n| (1, vec![&n[..]])).collect();
    let records: Vec<(u32, &[&[u8]])> = (records.iter()).map(|(id, a)| (*id, &a[..])).collect();
    let whole = buffer(&records);
    let decode = |buffer: &[u8]| formats.decode(buffer, &mut |_| {});
    let fits = decode(&whole);
    assert_eq!((fits.asked, fits.room, fits.decoded), (32, 32, 32));
    assert_eq!((fits.lost(), fits.is_damaged()), (0, false));
    // Room for two records and a half: a kernel writes two, and counts four.
    for length in [4 + 16, 4 + 20] {
        let mut cut = whole[..length].to_vec();
        cut[20..].fill(0);
        let cut = decode(&cut);
        assert_eq!((cut.asked, cut.decoded), (32, 16));
        assert_eq!((cut.lost(), cut.is_damaged()), (16, false));
    }
    // The third record's id is gone, though there was room.
    let mut damaged = whole.clone();
    damaged[20..24].fill(0xff);
    let damaged = decode(&damaged);
    assert_eq!((damaged.decoded, damaged.lost()), (16, 0));
    assert!(damaged.is_damaged());
}

fn print(format: &str, arguments: &[&[u8]]) -> String {
    let sizes: Vec<u32> = arguments
        .iter()
        .map(|argument| argument.len() as u32)
        .collect();
    let mut formats = Formats::default();
    assert!(formats.insert(&info(7, format, &sizes)));
    assert!(formats.insert(&info(8, "text", &[])));
    assert!(!formats.insert(&info(8, "again", &[])));
    decode(&formats, &buffer(&[(7, arguments)]))
}

#[test]
fn integers() {
    let i = |value: i32| value.to_le_bytes();
    for (format, value, expected) in [
        ("%d", 42, "42"),
        ("%i", -42, "-42"),
        ("%5d|", 42, "   42|"),
        ("%-5d|", 42, "42   |"),
        ("%05d", -42, "-0042"),
        ("%+d", 42, "+42"),
        ("% d", 42, " 42"),
        ("%+ d", 42, "+42"),
        ("%.4d", 42, "0042"),
        ("%7.4d", -42, "  -0042"),
        ("%07.4d", 42, "   0042"),
        ("%-07d|", 42, "42     |"),
        ("%.0d|", 0, "|"),
        ("%.d|", 0, "|"),
        ("%5.0d|", 0, "     |"),
        ("%u", -1, "4294967295"),
        ("%x", 255, "ff"),
        ("%X", 255, "FF"),
        ("%#x", 255, "0xff"),
        ("%#X", 255, "0XFF"),
        ("%#x", 0, "0"),
        ("%#010x", 255, "0x000000ff"),
        ("%#.4x", 255, "0x00ff"),
        ("%o", 8, "10"),
        ("%#o", 8, "010"),
        ("%#o", 0, "0"),
        ("%#.0o", 0, "0"),
        ("%hhd", 0x1ff, "-1"),
        ("%hhu", 0x1ff, "255"),
        ("%hd", 0x18000, "-32768"),
        ("%hx", 0x18000, "8000"),
        ("%c", 0x41, "A"),
        ("%3c|", 0x41, "  A|"),
        ("%-3c|", 0x41, "A  |"),
        ("%d%%", 5, "5%"),
        ("100%% %d", 5, "100% 5"),
    ] {
        assert_eq!(print(format, &[&i(value)]), expected, "{format}");
    }
    let most = i64::MIN.to_le_bytes();
    assert_eq!(print("%ld", &[&most]), "-9223372036854775808");
    assert_eq!(print("%lu", &[&most]), "9223372036854775808");
    assert_eq!(print("%lx", &[&most]), "8000000000000000");
    // The size of size_t and ptrdiff_t, since OpenCL C 3.1.
    assert_eq!(print("%zu", &[&most]), "9223372036854775808");
    assert_eq!(print("%td|", &[&most]), "-9223372036854775808|");
    assert_eq!(
        print("%p", &[&0x1234_5678_9abc_u64.to_le_bytes()]),
        "0x123456789abc"
    );
    assert_eq!(print("%p", &[&[0; 8]]), "0x0");
    // Arguments narrower than a word are padded.
    assert_eq!(print("%d %d", &[&[0xff], &i(3)]), "-1 3");
    assert_eq!(print("%u %d", &[&[0xff, 0xff], &i(3)]), "65535 3");
}

#[test]
fn floats() {
    for (format, value, expected) in [
        ("%f", 1.5, "1.500000"),
        ("%f", -0.0, "-0.000000"),
        ("%.0f", 0.5, "0"),
        ("%.0f", 1.5, "2"),
        ("%.0f", 2.5, "2"),
        ("%#.0f", 2.5, "2."),
        ("%10.3f|", 2.71845, "     2.718|"),
        ("%-10.3f|", 2.71845, "2.718     |"),
        ("%010.3f", -2.71845, "-00002.718"),
        ("%+f", 1.0, "+1.000000"),
        ("% f", 1.0, " 1.000000"),
        ("%f", 1e22, "10000000000000000000000.000000"),
        ("%.20f", 0.1, "0.10000000000000000555"),
        ("%e", 12345.678, "1.234568e+04"),
        ("%E", 12345.678, "1.234568E+04"),
        ("%.0e", 12345.678, "1e+04"),
        ("%#.0e", 12345.678, "1.e+04"),
        ("%e", 0.0, "0.000000e+00"),
        ("%e", 1e-300, "1.000000e-300"),
        ("%.3e", 9.9996, "1.000e+01"),
        ("%g", 0.0001, "0.0001"),
        ("%g", 0.00001, "1e-05"),
        ("%g", 100000.0, "100000"),
        ("%g", 1000000.0, "1e+06"),
        ("%g", 999999.5, "1e+06"),
        ("%g", 0.5, "0.5"),
        ("%g", 0.0, "0"),
        ("%G", 1e-10, "1E-10"),
        ("%#g", 1.0, "1.00000"),
        ("%.3g", 1234.0, "1.23e+03"),
        ("%.0g", 1234.0, "1e+03"),
        ("%#.0g", 1234.0, "1.e+03"),
        ("%#.1g", 5.0, "5."),
        ("%.10g", 3.25, "3.25"),
        ("%a", 1.0, "0x1p+0"),
        ("%a", -0.1, "-0x1.999999999999ap-4"),
        ("%A", 10.0, "0X1.4P+3"),
        ("%a", 0.0, "0x0p+0"),
        ("%a", 5e-324, "0x0.0000000000001p-1022"),
        ("%.2a", 1.999, "0x2.00p+0"),
        ("%.3a", 1.0, "0x1.000p+0"),
        ("%.15a", 1.5, "0x1.800000000000000p+0"),
        ("%.0a", 1.25, "0x1p+0"),
        ("%#.0a", 1.0, "0x1.p+0"),
        ("%12a|", 1.0, "      0x1p+0|"),
        ("%012a", 1.0, "0x0000001p+0"),
        ("%f", f64::INFINITY, "inf"),
        ("%F", f64::NEG_INFINITY, "-INF"),
        ("%08f", f64::INFINITY, "     inf"),
        ("%+e", f64::INFINITY, "+inf"),
        ("%g", f64::NAN, "nan"),
        ("%G", -f64::NAN, "NAN"),
        ("%a", f64::NAN, "nan"),
        ("%5f|", f64::NAN, "  nan|"),
    ] {
        assert_eq!(
            print(format, &[&value.to_le_bytes()]),
            expected,
            "{format} {value:?}"
        );
    }
    // A float and a half print as the double of their value.
    assert_eq!(print("%f", &[&0.1_f32.to_le_bytes()]), "0.100000");
    assert_eq!(print("%a", &[&0.1_f32.to_le_bytes()]), "0x1.99999ap-4");
    for (bits, expected) in [
        (0x3c00_u16, "1"),
        (0xc000, "-2"),
        (0x7bff, "65504"),
        (0x0001, "5.96046e-08"),
        (0x03ff, "6.09756e-05"),
        (0x8000, "-0"),
        (0x7c00, "inf"),
        (0x7e00, "nan"),
    ] {
        assert_eq!(print("%g", &[&bits.to_le_bytes()]), expected);
    }
}

#[test]
fn vectors() {
    let bytes = |values: &[f32]| {
        values
            .iter()
            .flat_map(|v| v.to_le_bytes())
            .collect::<Vec<u8>>()
    };
    let four = bytes(&[1.0, 2.5, -3.0, 4.0]);
    assert_eq!(
        print("%v4hlf", &[&four]),
        "1.000000,2.500000,-3.000000,4.000000"
    );
    assert_eq!(print("%v4hlg|", &[&four]), "1,2.5,-3,4|");
    assert_eq!(print("%5.1v4hlf", &[&four]), "  1.0,  2.5, -3.0,  4.0");
    assert_eq!(print("%v3hlg", &[&four]), "1,2.5,-3");
    assert_eq!(print("%v3hlg", &[&four[..12]]), "1,2.5,-3");
    assert_eq!(print("%v2hlg", &[&four[..8]]), "1,2.5");
    let doubles: Vec<u8> = [0.5_f64, -1.0]
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    assert_eq!(print("%v2lf", &[&doubles]), "0.500000,-1.000000");
    let halves: Vec<u8> = [0x3c00_u16, 0x4000, 0x4200]
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    assert_eq!(
        print("%v3hg %d", &[&halves, &9_i32.to_le_bytes()]),
        "1,2,3 9"
    );
    assert_eq!(print("%v4hhd", &[&[1, 0xff, 3, 0x80]]), "1,-1,3,-128");
    assert_eq!(
        print("%#v4hhx", &[&[1, 0xff, 3, 0x80]]),
        "0x1,0xff,0x3,0x80"
    );
    assert_eq!(
        print("%v8hhu", &[&[1, 2, 3, 4, 5, 6, 7, 255]]),
        "1,2,3,4,5,6,7,255"
    );
    let shorts: Vec<u8> = (0..16_u16).flat_map(|v| v.to_le_bytes()).collect();
    let expected = "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15";
    assert_eq!(print("%v16hd", &[&shorts]), expected);
    assert_eq!(print("%v16hu", &[&shorts]), expected);
    let longs: Vec<u8> = [i64::MIN, -1]
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    assert_eq!(print("%v2ld", &[&longs]), "-9223372036854775808,-1");
    assert_eq!(
        print("%v2lx", &[&longs]),
        "8000000000000000,ffffffffffffffff"
    );
    assert_eq!(
        print("%03v4hld", &[&[1, 0, 0, 0].repeat(4)]),
        "001,001,001,001"
    );
}

#[test]
fn strings() {
    assert_eq!(print("[%s]", &[&8_u32.to_le_bytes()]), "[text]");
    assert_eq!(print("[%6s]", &[&8_u32.to_le_bytes()]), "[  text]");
    assert_eq!(print("[%-6s]", &[&8_u32.to_le_bytes()]), "[text  ]");
    assert_eq!(print("[%.2s]", &[&8_u32.to_le_bytes()]), "[te]");
    // No string has that id: the pointer was NULL, or broken.
    assert_eq!(print("[%s]", &[&99_u32.to_le_bytes()]), "[(null)]");
    assert_eq!(print("no arguments\n", &[]), "no arguments\n");
    assert_eq!(print("", &[]), "");
}

#[test]
fn broken_formats_are_shown_as_they_stand() {
    let one = 1_i32.to_le_bytes();
    for (format, expected) in [
        ("%", "%"),
        ("abc %", "abc %"),
        ("%5", "%5"),
        ("%*d", "%*d"),
        ("%n%d", "%n1"),
        ("%v5d", "%v5d"),
        ("%v4", "%v4"),
        ("%d %d", "1 %d"),
        ("%lld", "1"),
        // Four bytes are four elements of one byte: no float has that size.
        ("%v4d", "1,0,0,0"),
        ("%v4f", "%v4f"),
    ] {
        assert_eq!(print(format, &[&one]), expected, "{format}");
    }
    // Sizes that suit no number.
    assert_eq!(print("%d", &[&[0; 3]]), "%d");
    assert_eq!(print("%d", &[&[0; 16]]), "%d");
    assert_eq!(print("%d", &[&[]]), "%d");
    assert_eq!(print("%c", &[&[]]), "%c");
    // A width is bounded.
    assert_eq!(print("%99999999999999999999d", &[&one]).len(), 4095);
    assert_eq!(
        print("%.99999999999999999999f", &[&1_f64.to_le_bytes()]).len(),
        4097
    );
}

#[test]
fn whole_records_in_order() {
    let mut formats = Formats::default();
    formats.insert(&info(0, "a%d ", &[4]));
    formats.insert(&info(1, "b%ld ", &[8]));
    formats.insert(&info(2, "c ", &[]));
    let i = |value: i32| value.to_le_bytes();
    let l = |value: i64| value.to_le_bytes();
    let records: [(u32, &[&[u8]]); 5] = [
        (0, &[&i(1)]),
        (1, &[&l(2)]),
        (2, &[]),
        (0, &[&i(3)]),
        (1, &[&l(4)]),
    ];
    let whole = buffer(&records);
    assert_eq!(decode(&formats, &whole), "a1 b2 c a3 b4 ");
    // The kernels asked for more than there was.
    let mut more = whole.clone();
    more[..4].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(decode(&formats, &more), "a1 b2 c a3 b4 ");
    // Any cut leaves whole records.
    for length in 0..=whole.len() {
        let text = decode(&formats, &whole[..length]);
        assert!("a1 b2 c a3 b4 ".starts_with(&text), "{length}: {text}");
        assert!(text.is_empty() || text.ends_with(' '));
    }
    for words in 0..(whole.len() / 4) as u32 {
        let mut less = whole.clone();
        less[..4].copy_from_slice(&words.to_le_bytes());
        let text = decode(&formats, &less);
        assert!("a1 b2 c a3 b4 ".starts_with(&text), "{words}: {text}");
    }
    // An unknown id ends it.
    let broken = buffer(&[(0, &[&i(1)]), (77, &[&i(5)]), (2, &[])]);
    assert_eq!(decode(&formats, &broken), "a1 ");
}

#[test]
fn sizes_beyond_any_buffer() {
    let mut formats = Formats::default();
    formats.insert(&info(0, "%d", &[u32::MAX]));
    formats.insert(&info(1, "%d", &[u32::MAX - 4, u32::MAX - 4, u32::MAX - 4]));
    for id in [0_u32, 1] {
        let mut bytes = buffer(&[(id, &[&[0; 64]])]);
        assert_eq!(decode(&formats, &bytes), "");
        bytes[..4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(decode(&formats, &bytes), "");
    }
}

/// Any format over any bytes: text or not, but no panic.
#[test]
fn random_formats_and_bytes() {
    let mut state = 0x1234_5678_9abc_def1_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let letters = b"%%%%%%diouxXfFeEgGaAcspv234816hl.0123456789-+ #*n\xff";
    for _ in 0..5000 {
        let mut formats = Formats::default();
        for id in 0..4 {
            let format = (0..random() % 24).map(|_| letters[random() as usize % letters.len()]);
            let format = ByteString(format.collect());
            let argument_sizes = (0..random() % 6).map(|_| (random() % 34) as u32).collect();
            formats.insert(&PrintfInfo {
                id,
                format,
                argument_sizes,
            });
        }
        let mut bytes: Vec<u8> = (0..random() % 300).map(|_| random() as u8).collect();
        for at in (0..bytes.len()).step_by(12) {
            bytes[at] = (random() % 5) as u8;
            bytes[at + 1..]
                .iter_mut()
                .take(3)
                .for_each(|byte| *byte = 0);
        }
        if let Some(count) = bytes.first_chunk_mut() {
            *count = 1000_u32.to_le_bytes();
        }
        formats.decode(&bytes, &mut |_| {});
    }
}
